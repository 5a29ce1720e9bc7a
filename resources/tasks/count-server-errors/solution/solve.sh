#!/bin/bash
# Takes the quoted request out of each line first: what follows it begins with the status.
set -euo pipefail
mkdir -p /srv/report
cd /srv/logs
{ cat access.log access.log.1; gzip -dc access.log.2.gz; } \
  | sed -E 's/^([^ ]+) [^"]*"([^"\\]|\\.)*" ([0-9]{3}) .*$/\1 \3/' \
  | awk '$2 >= 500 && $2 <= 599 { count[$1]++ } END { for (client in count) print client "\t" count[client] }' \
  | LC_ALL=C sort -t $'\t' -k2,2nr -k1,1 > /srv/report/errors.tsv
