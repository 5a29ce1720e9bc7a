#!/bin/sh
# clean.sh FILE: prints the measurements of FILE without comments and blank lines; fails at a line that is no measurement.
awk '
  /^[[:space:]]*(#|$)/ { next }
  !/^[0-9]{4}-[0-9]{2}-[0-9]{2},-?[0-9]+(\.[0-9]+)?$/ { print FILENAME ": line " FNR ": not a measurement" > "/dev/stderr"; exit 1 }
  { print }
' "$1"
