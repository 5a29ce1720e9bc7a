#!/bin/bash
set -euo pipefail
LC_ALL=C sort -u /app/words.txt > /app/sorted.txt
