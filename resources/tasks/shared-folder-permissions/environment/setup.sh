#!/bin/bash
# Makes /srv/team in disorder, with links that lead out of it.
set -euo pipefail
groupadd --gid 2000 team
mkdir -p /srv/team/{bin,data/'raw runs',docs,keys,'new folder'} /srv/private
cd /srv/team

printf '#!/bin/sh\necho deploy\n' > bin/deploy
printf '#!/usr/bin/env python3\nprint("plot")\n' > 'bin/plot results.py'
printf 'echo "sourced, never run"\n' > bin/common.sh
printf 'run,score\n1,0.5\n' > 'data/raw runs/march.csv'
printf '\n#! not in the first line\n' > data/notes.txt
printf '' > data/empty
printf '# Handbook\n' > docs/handbook.md
printf '#!/bin/sh\necho hidden\n' > docs/.hook
printf 'draft\n' > 'new folder/-draft.txt'
printf 'not a real key\n' > keys/deploy.key
printf '#!/bin/sh\nexit 0\n' > keys/unlock
printf 'private\n' > /srv/private/payroll.csv

ln -s /srv/private/payroll.csv data/payroll.csv
ln -s /srv/private docs/private
ln -s ../bin/deploy docs/deploy
ln -s /nowhere docs/broken

chmod 0777 bin docs/handbook.md data/notes.txt bin/common.sh
chmod 0600 bin/deploy 'new folder/-draft.txt'
chmod 0644 'bin/plot results.py' docs/.hook
chmod 0755 'data/raw runs/march.csv' data 'new folder' .
chmod 0700 docs keys /srv/private
chmod 0500 'data/raw runs'
chmod 0600 keys/deploy.key /srv/private/payroll.csv
chmod 0700 keys/unlock
chown -R user:user docs 'new folder'
chown root:user 'data/raw runs/march.csv'
chown -h root:root docs/private docs/broken docs/deploy data/payroll.csv
