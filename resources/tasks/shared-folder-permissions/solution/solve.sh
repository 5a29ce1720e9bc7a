#!/bin/bash
# -type d and -type f leave links alone; the group comes first, because a change of group clears set-id bits of files.
set -euo pipefail
cd /srv/team
below() { find . -path ./keys -prune -o "$@"; }
below \( -type d -o -type f \) -exec chgrp team {} +
below -type d -exec chmod 2770 {} +
below -type f -exec chmod 0660 {} +
below -type f -print0 | while IFS= read -r -d '' file; do
  if [ "$(head -c 2 -- "$file" | tr -d '\0')" = '#!' ]; then chmod 0770 -- "$file"; fi
done
