#!/bin/bash
# Compares mode, owner, group and kind of every path with what the task asks for; prints one line a check and writes a CTRF report.
results=$(mktemp)
failed=0

# check NAME COMMAND...: the command's success is the check's.
check() {
  local name=$1 status=passed
  shift
  "$@" || { status=failed; failed=$((failed + 1)); }
  [ "$status" = passed ] && echo "PASS $name" || echo "FAIL $name"
  jq -nc --arg name "$name" --arg status "$status" '{name: $name, status: $status, duration: 0}' >> "$results"
}

# is PATH STATE: STATE is mode, owner and group as stat prints them, and the path is no link.
is() {
  local found
  found=$(stat -c '%a %U %G' -- "$1") && [ ! -L "$1" ] && [ "$found" = "$2" ] || { echo "  $1 is '$found', not '$2'"; return 1; }
}

folders() {
  is /srv/team '2770 root team' && is /srv/team/bin '2770 root team' && is /srv/team/data '2770 root team' &&
    is '/srv/team/data/raw runs' '2770 root team' && is /srv/team/docs '2770 user team' && is '/srv/team/new folder' '2770 user team'
}
scripts() {
  is /srv/team/bin/deploy '770 root team' && is '/srv/team/bin/plot results.py' '770 root team' && is /srv/team/docs/.hook '770 user team'
}
plain_files() {
  is /srv/team/bin/common.sh '660 root team' && is '/srv/team/data/raw runs/march.csv' '660 root team' &&
    is /srv/team/data/notes.txt '660 root team' && is /srv/team/data/empty '660 root team' &&
    is /srv/team/docs/handbook.md '660 user team' && is '/srv/team/new folder/-draft.txt' '660 user team'
}
# The others say whether more was touched than asked for; an untouched box passes them.
keys() {
  is /srv/team/keys '700 root root' && is /srv/team/keys/deploy.key '600 root root' &&
    is /srv/team/keys/unlock '700 root root'
}
outside() {
  is /srv/private '700 root root' && is /srv/private/payroll.csv '600 root root'
}
links() {
  [ "$(readlink /srv/team/data/payroll.csv)" = /srv/private/payroll.csv ] && [ "$(readlink /srv/team/docs/private)" = /srv/private ] &&
    [ "$(readlink /srv/team/docs/deploy)" = ../bin/deploy ] && [ "$(readlink /srv/team/docs/broken)" = /nowhere ] &&
    [ "$(find /srv/team -type l -user root -group root | wc -l)" = 4 ]
}
contents() {
  (cd /srv/team && sha256sum --quiet -c /tests/contents.sha256) && [ "$(find /srv/team -type f | wc -l)" = 11 ]
}

check folders_are_2770 folders
check scripts_are_0770 scripts
check other_files_are_0660 plain_files
check keys_are_as_they_were keys
check nothing_outside_changed outside
check links_are_as_they_were links
check contents_are_as_they_were contents

mkdir -p /logs/verifier
jq -s --arg failed "$failed" '{results: {tool: {name: "shell"}, summary: {tests: length, passed: (length - ($failed | tonumber)),
  failed: ($failed | tonumber), pending: 0, skipped: 0, other: 0, start: 0, stop: 0}, tests: .}}' "$results" > /logs/verifier/ctrf.json
[ "$failed" = 0 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
