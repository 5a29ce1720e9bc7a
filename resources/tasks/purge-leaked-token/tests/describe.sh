#!/bin/bash
# describe.sh REF: tells the history of REF without any object id of a commit, so that it can be compared with a rewritten one: for each
# commit its place among its parents, its people, dates and message, and its files with mode and content.
set -euo pipefail
declare -A place
number=0
git rev-list --topo-order --reverse "$1" > "${TMPDIR:-/tmp}/commits"
while read -r commit; do
  number=$((number + 1))
  place[$commit]=$number
  parents=
  for parent in $(git log -1 --format=%P "$commit"); do parents+=" ${place[$parent]}"; done
  echo "== commit $number of parents:$parents"
  git log -1 --format='%an <%ae> %aI%n%cn <%ce> %cI%n%B' "$commit"
  # Blob ids are their contents; core.quotePath off keeps names readable.
  git -c core.quotePath=off ls-tree -r "$commit"
done < "${TMPDIR:-/tmp}/commits"
