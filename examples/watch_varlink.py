#!/usr/bin/env python3
"""Shows every reading, with Varlink's Python package: pip install varlink."""

import os
import sys

import varlink

path = os.environ.get("FORCED_SOCKET", "/run/forced/forced.sock")

with varlink.Client(address=f"unix:{path}") as client, client.open("org.forced.Force") as force:
    try:
        for event in force.Watch(events=["reading"], _more=True):
            reading = event["reading"]
            print(f"{reading['device']}  {reading['percent']} %  {reading['grams']} g", flush=True)
    except varlink.VarlinkError as error:
        sys.exit(f"{error.error()} {error.parameters()}")
    except KeyboardInterrupt:
        pass
