#!/bin/bash
# Feeds each case to the program. NAME.json beside NAME.conf is what it must print; NAME.line the number of the line that it must refuse.
# The reward is the share of cases that pass. No case is passed by a program that always prints the same or always fails.
results=$(mktemp)
passed=0
total=0
work=$(mktemp -d)

# converts CASE: the program's output equals the expected JSON, whatever its layout and the order of keys. -e refuses empty output.
converts() {
  timeout 10 python3 /app/migrate.py < "$1.conf" > "$work/out" 2> "$work/err" || { echo "  exit code $?"; head -n 3 "$work/err"; return 1; }
  jq -eS -s 'if length == 1 then .[0] else error("not one JSON value") end' "$work/out" > "$work/found" 2> "$work/err" || { cat "$work/err"; return 1; }
  diff <(jq -S . "$1.json") "$work/found"
}

# refuses CASE: exit code 2, nothing on standard output, the line's number in the message, and a good file still converts.
refuses() {
  timeout 10 python3 /app/migrate.py < "$1.conf" > "$work/out" 2> "$work/err"
  local code=$?
  [ "$code" = 2 ] || { echo "  exit code $code instead of 2"; return 1; }
  [ ! -s "$work/out" ] || { echo '  something was printed'; return 1; }
  grep -qw "line $(cat "$1.line")" "$work/err" || { echo "  the message does not name line $(cat "$1.line")"; return 1; }
  converts /tests/cases/sections > /dev/null
}

for conf in /tests/cases/*.conf; do
  case=${conf%.conf}
  name=$(basename "$case")
  total=$((total + 1))
  if [ -e "$case.json" ]; then verb=converts; else verb=refuses; fi
  if "$verb" "$case"; then status=passed; passed=$((passed + 1)); echo "PASS ${verb}_$name"; else status=failed; echo "FAIL ${verb}_$name"; fi
  jq -nc --arg name "${verb}_$name" --arg status "$status" '{name: $name, status: $status, duration: 0}' >> "$results"
done

mkdir -p /logs/verifier
jq -s --argjson passed "$passed" '{results: {tool: {name: "shell"}, summary: {tests: length, passed: $passed,
  failed: (length - $passed), pending: 0, skipped: 0, other: 0, start: 0, stop: 0}, tests: .}}' "$results" > /logs/verifier/ctrf.json
jq -n --argjson passed "$passed" --argjson total "$total" '{reward: ($passed / $total), cases_passed: $passed, cases: $total}' \
  > /logs/verifier/reward.json
