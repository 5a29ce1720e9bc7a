#!/bin/bash
# Makes a repository in which one commit lies off every branch: amended twice, reset away, and without reflogs. All dates are fixed.
set -euo pipefail
export HOME=/home/user
cd /home/user/parser
git config --global user.name 'Sam Field'
git config --global user.email 'sam@example.org'
git config --global init.defaultBranch main
git config --global advice.detachedHead false
git init -q

# commit DAY AUTHOR MESSAGE [OPTION...]: commits all changes as of noon on that day of March 2026.
commit() {
  local day=$1 author=$2 message=$3
  shift 3
  git add -A
  GIT_AUTHOR_DATE="2026-03-${day}T12:00:00+0100" GIT_COMMITTER_DATE="2026-03-${day}T12:00:00+0100" \
    git commit -q --author "$author" -m "$message" "$@"
}
SAM='Sam Field <sam@example.org>'
INES='Inês Prado <ines@example.org>'

printf '# Parser\n\nReads feeds.\n' > README.md
printf 'Changes\n=======\n\n- First version.\n' > CHANGES.md
printf 'def fetch(url, open):\n    while True:\n        try:\n            return open(url)\n        except OSError:\n            continue\n' > fetcher.py
commit 02 "$SAM" 'Start the parser'
printf 'def parse(text):\n    return text.split("\\n\\n")\n' > parser.py
sed -i '4i - Entries are parsed.' CHANGES.md
commit 03 "$INES" 'Parse entries'

# The lost commit in three versions; the dates of authorship stay, those of committing do not.
printf 'RETRIES = 3\n\n\ndef fetch(url, open):\n    for _ in range(RETRIES):\n        try:\n            return open(url)\n        except OSError:\n            continue\n' > fetcher.py
commit 05 "$INES" 'Limit retries of the fetcher'
printf 'RETRIES = 5\n\n\ndef fetch(url, open):\n    for _ in range(RETRIES):\n        try:\n            return open(url)\n        except OSError:\n            continue\n    raise TimeoutError(url)\n' > fetcher.py
sed -i '4i - The fetcher gives up.' CHANGES.md
git add -A
GIT_COMMITTER_DATE='2026-03-06T18:30:00+0100' git commit -q --amend -m 'Limit retries of the fetcher'
printf 'RETRIES = 5\n\n\ndef fetch(url, open):\n    last = None\n    for _ in range(RETRIES):\n        try:\n            return open(url)\n        except OSError as error:\n            last = error\n    raise TimeoutError(url) from last\n' > fetcher.py
sed -i '4s/.*/- The fetcher gives up after five attempts./' CHANGES.md
printf 'from fetcher import RETRIES\n\n\ndef test_retries():\n    assert RETRIES == 5\n' > test_fetcher.py
git add -A
GIT_COMMITTER_DATE='2026-03-09T09:00:00+0100' git commit -q --amend -m 'Limit retries of the fetcher' -m 'A server that is down must not hold up the others for ever.
The last error is kept as the cause.'
# An experiment on top of the last version, given up as well; it keeps that version from being a dangling one.
printf '5\n' > retries.txt
commit 10 "$SAM" 'Try to read the limit from a file'
git reset -q --hard HEAD~2

printf 'def parse(text):\n    return [entry for entry in text.split("\\n\\n") if entry.strip()]\n' > parser.py
sed -i '4i - Empty entries are left out.' CHANGES.md
commit 11 "$SAM" 'Leave out empty entries'
git checkout -q -b docs
printf '# Parser\n\nReads feeds. See CHANGES.md.\n' > README.md
commit 12 "$INES" 'Mention the changes'
git checkout -q main
printf 'parser.pyc\n' > .gitignore
commit 13 "$SAM" 'Ignore compiled files'
git tag v0.2
git reflog expire --expire=now --all
rm -rf .git/logs .git/ORIG_HEAD
