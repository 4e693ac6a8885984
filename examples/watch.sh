#!/bin/sh
# Shows every reading, with nothing but socat and jq. A call that ends with a newline gets newlines back.
socket=${FORCED_SOCKET:-/run/forced/forced.sock}
echo '{"method":"org.forced.Force.Watch","parameters":{"events":["reading"]},"more":true}' |
  socat STDIO,ignoreeof "UNIX-CONNECT:$socket" |
  jq --unbuffered -r 'if .error then "\(.error) \(.parameters)" | halt_error
    else .parameters.reading | "\(.device)  \(.percent) %  \(.grams) g" end'
