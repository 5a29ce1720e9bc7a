#!/bin/bash
# Looks at every object and every file for the token, and compares the rewritten history with the expected one, which expected/*.txt
# describes. Prints one line a check and writes a CTRF report. git runs as the owner, without hooks and replacements of the repository.
REPOSITORY=/home/user/deploy-tools
TOKEN=tk_live_7Qm2xV9cRb4LpZ
results=$(mktemp)
failed=0
work=$(mktemp -d)
chmod 777 "$work"
export GIT_NO_REPLACE_OBJECTS=1 GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null \
  GIT_CONFIG_KEY_1=core.fsmonitor GIT_CONFIG_VALUE_1=false TMPDIR=$work
cd "$REPOSITORY" || exit 1

as_user() { runuser -u user -- "$@"; }

# check NAME COMMAND...: the command's success is the check's.
check() {
  local name=$1 status=passed
  shift
  "$@" || { status=failed; failed=$((failed + 1)); }
  [ "$status" = passed ] && echo "PASS $name" || echo "FAIL $name"
  jq -nc --arg name "$name" --arg status "$status" '{name: $name, status: $status, duration: 0}' >> "$results"
}

history_is() {
  as_user bash /tests/describe.sh "$1" > "$work/found" && diff "/tests/expected/$2.txt" "$work/found" > "$work/diff" ||
    { head -n 12 "$work/diff"; return 1; }
}
tag_is_annotated() {
  [ "$(as_user git cat-file -t v1.0)" = tag ] && as_user git cat-file -p v1.0 | sed 1d | diff /tests/expected/tag.txt -
}
no_object_has_the_token() {
  as_user git cat-file --batch-all-objects --batch --buffer > "$work/objects" && [ -s "$work/objects" ] &&
    ! grep -qaF "$TOKEN" "$work/objects"
}
# Packs and objects outside of the repository's own reach would not be listed by it.
no_file_has_the_token() {
  ! grep -rqaF "$TOKEN" . && [ ! -e .git/objects/info/alternates ] && [ -z "$(find .git/objects -name 'tmp_*')" ] &&
    [ ! -e .git/worktrees ] && [ ! -e .git/modules ]
}
only_these_refs() {
  diff <(printf '%s\n' refs/heads/canary refs/heads/main refs/tags/v1.0) <(as_user git for-each-ref --format='%(refname)')
}
clean_main() {
  [ "$(as_user git symbolic-ref HEAD)" = refs/heads/main ] && [ -z "$(as_user git status --porcelain)" ]
}
sound() {
  as_user git fsck --full --strict > "$work/fsck" 2>&1 || { head -n 3 "$work/fsck"; return 1; }
}
# The folder may hold nothing but the repository and the tracked files.
nothing_beside() {
  [ -z "$(as_user git ls-files --others)" ]
}

check main_is_rewritten history_is main main
check canary_is_rewritten history_is canary canary
check tag_is_rewritten history_is 'v1.0^{commit}' v1.0
check tag_is_annotated tag_is_annotated
check no_object_has_the_token no_object_has_the_token
check no_file_has_the_token no_file_has_the_token
check only_these_refs only_these_refs
check clean_main clean_main
check nothing_beside nothing_beside
check fsck_finds_nothing sound

mkdir -p /logs/verifier
jq -s --arg failed "$failed" '{results: {tool: {name: "shell"}, summary: {tests: length, passed: (length - ($failed | tonumber)),
  failed: ($failed | tonumber), pending: 0, skipped: 0, other: 0, start: 0, stop: 0}, tests: .}}' "$results" > /logs/verifier/ctrf.json
[ "$failed" = 0 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
