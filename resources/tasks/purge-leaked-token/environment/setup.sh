#!/bin/bash
# Makes a repository whose history holds a token: in a file of its own, quoted in two others, on a branch, in a tag, in a stash and in
# an amended commit that only the reflog knows. All dates are fixed.
set -euo pipefail
export HOME=/home/user
TOKEN=tk_live_7Qm2xV9cRb4LpZ
cd /home/user/deploy-tools
git config --global user.name 'Robin Hale'
git config --global user.email 'robin@example.org'
git config --global init.defaultBranch main
git init -q

# at DAY COMMAND...: runs a git command as of that day; the committer is an hour later than the author.
at() {
  local day=$1
  shift
  GIT_AUTHOR_DATE="2026-02-${day}T10:00:00+0000" GIT_COMMITTER_DATE="2026-02-${day}T11:00:00+0000" "$@"
}
save() { local day=$1; shift; git add -A; at "$day" git commit -q "$@"; }

mkdir -p bin config docs
printf '# Deploy tools\n' > README.md
printf '#!/bin/sh\n. config/prod.env\necho "deploying"\n' > bin/deploy
chmod 755 bin/deploy
save 01 -m 'Start the deploy tools'

printf 'API_TOKEN=%s\nREGION=north\n' "$TOKEN" > config/prod.env
save 02 -m 'Add the settings of production'

printf '# Runbook\n\nIf deploying fails, try:\n\n    curl -H "Authorization: %s" https://deploy.example.org/\n' "$TOKEN" > docs/runbook.md
git add -A
GIT_COMMITTER_NAME='Kim Osei' GIT_COMMITTER_EMAIL='kim@example.org' at 03 git commit -q --author 'Kim Osei <kim@example.org>' -m 'Write a runbook' -m 'For the colleagues on call.'

git checkout -q -b canary
printf '#!/bin/sh\n# token=%s;old=%s\necho "canary"\n' "$TOKEN" "$TOKEN" > bin/canary
chmod 755 bin/canary
save 04 -m 'Deploy to a few machines first'
sed -i '/^# token/d' bin/canary
save 05 -m 'Tidy the canary script'

git checkout -q main
printf 'API_TOKEN=%s\nREGION=south\n' "$TOKEN" > config/prod.env
save 06 -m 'Move to the south'
at 07 git tag -a v1.0 -m 'First release' -m 'Tested in both regions.'
at 08 git merge -q --no-ff canary -m 'Merge the canary'

git checkout -q canary
printf 'retries=3\n' > config/canary.conf
save 09 -m 'Retry on the canary'

git checkout -q main
git rm -q config/prod.env
mkdir -p config
printf '# Runbook\n\nIf deploying fails, ask Kim.\n' > docs/runbook.md
printf 'API_TOKEN=\n' > config/example.env
printf '/config/prod.env\n' > .gitignore
sed -i 's/^\. config/. .\/config/' bin/deploy
printf 'left over: %s\n' "$TOKEN" > notes.txt
save 10 -m 'Remove the settings from the repository'
git rm -q notes.txt
at 11 git commit -q --amend -m 'Remove the settings from the repository'
printf 'TOKEN=%s\n' "$TOKEN" >> config/example.env
at 12 git stash -q
