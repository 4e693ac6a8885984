#!/usr/bin/env python3
"""Shows every reading, with nothing but the standard library."""

import json
import os
import socket
import sys

path = os.environ.get("FORCED_SOCKET", "/run/forced/forced.sock")
call = {"method": "org.forced.Force.Watch", "parameters": {"events": ["reading"]}, "more": True}

with socket.socket(socket.AF_UNIX) as connection:
    try:
        connection.connect(path)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    connection.sendall(json.dumps(call).encode() + b"\n")
    try:
        for line in connection.makefile("rb"):
            reply = json.loads(line)
            if "error" in reply:
                sys.exit(f"{reply['error']} {reply['parameters']}")
            reading = reply["parameters"]["reading"]
            print(f"{reading['device']}  {reading['percent']} %  {reading['grams']} g", flush=True)
    except KeyboardInterrupt:
        pass
