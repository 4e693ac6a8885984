#!/bin/sh
# Publishes every reading on an MQTT broker, as a JSON object under the topic forced/readings, at most 30
# a second for each contact. What is given to this script goes to mosquitto_pub: -h HOST, -u USER, …
# A broker that is slow slows only this script: of what it cannot take, the newest is kept.
forcectl watch --json --rate 30 | mosquitto_pub -t forced/readings -l "$@"
