#!/bin/bash
# Lets `date` decide which dates are real: it refuses February 29 of common years, and what it accepts it must give back unchanged.
set -euo pipefail
cd /data/inbox
find . -maxdepth 1 -type f -print0 | while IFS= read -r -d '' path; do
  name=${path#./}
  [[ $name =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})([^0-9]|$) ]] || continue
  day=${name:0:10}
  [ "$(date -d "$day" +%F 2>/dev/null)" = "$day" ] || continue
  folder=/data/archive/${BASH_REMATCH[1]}/${BASH_REMATCH[2]}
  [ -e "$folder/$name" ] && continue
  mkdir -p "$folder"
  mv -n -- "$path" "$folder/"
done
