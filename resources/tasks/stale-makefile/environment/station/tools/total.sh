#!/bin/sh
# total.sh FILE...: prints number and sum of the measurements of each file.
for file in "$@"; do
  awk -F , -v name="$(basename "$file" .csv)" '{ sum += $2 } END { printf "%s %d %.1f\n", name, NR, sum }' "$file" || exit 1
done
