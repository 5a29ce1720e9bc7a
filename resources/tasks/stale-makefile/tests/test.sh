#!/bin/bash
# Runs the agent's Makefile in fresh copies of the project, with data that it has not seen; prints one line a check, writes a CTRF report.
# Files are given times of the past and of the future instead of waiting for the clock.
results=$(mktemp)
failed=0

# check NAME COMMAND...: the command's success is the check's. It runs in a fresh copy of the project.
check() {
  local name=$1 status=passed work
  shift
  work=$(mktemp -d)
  cp -r /tests/station/. "$work/"
  chmod 755 "$work"/tools/*.sh
  cp /srv/station/Makefile "$work/Makefile"
  find "$work" -exec touch -d '2026-01-01' {} +
  (cd "$work" && "$@") || { status=failed; failed=$((failed + 1)); }
  [ "$status" = passed ] && echo "PASS $name" || echo "FAIL $name"
  jq -nc --arg name "$name" --arg status "$status" '{name: $name, status: $status, duration: 0}' >> "$results"
  rm -rf "$work"
}

# build [ARGUMENT...]: one quiet make with a time limit.
build() { timeout 20 make --no-print-directory "$@" > make.log 2>&1 || { tail -n 3 make.log; return 1; }; }
# aged: as build, and then all that was made is as old as a minute, so that any later write is seen.
aged() { build "$@" && find build -exec touch -d '1 minute ago' {} +; }
report() { printf '%s\n' 'Rainfall by station: name, days, millimetres' "$@" | diff - build/report.txt; }
# made PATH: the last make wrote PATH again.
made() { [ -n "$(find "$1" -newermt '30 seconds ago')" ] || { echo "  $1 was not made again"; return 1; }; }
kept() { [ -z "$(find "$1" -newermt '30 seconds ago')" ] || { echo "  $1 was made again for nothing"; return 1; }; }

builds() { build && report 'kyoto 3 15.7' 'lima 2 0.3' 'oslo 3 10.5' && [ "$(cat build/clean/oslo.csv | wc -l)" = 3 ]; }
builds_in_parallel() {
  for number in $(seq -w 40); do printf '2026-03-01,%s\n' "$number" > "data/station$number.csv"; done
  build -j8 && [ "$(wc -l < build/report.txt)" = 44 ] && [ "$(tail -n 1 build/report.txt)" = 'station40 1 40.0' ]
}
does_nothing_twice() { aged && build -q && kept build/report.txt && kept build/clean/lima.csv; }
sees_a_changed_file() {
  aged && echo '2026-03-03,0.7' >> data/lima.csv && build && report 'kyoto 3 15.7' 'lima 3 1.0' 'oslo 3 10.5' && kept build/clean/oslo.csv
}
sees_a_new_file() {
  aged && echo '2026-03-03,5' > data/accra.csv && build && report 'accra 1 5.0' 'kyoto 3 15.7' 'lima 2 0.3' 'oslo 3 10.5' &&
    kept build/clean/oslo.csv
}
sees_a_changed_clean_script() {
  aged && touch tools/clean.sh && build && made build/clean/kyoto.csv && made build/clean/lima.csv && made build/report.txt
}
sees_a_changed_total_script() {
  aged && touch tools/total.sh && build && made build/total.txt && made build/report.txt && kept build/clean/lima.csv
}
sees_a_changed_title() {
  aged && echo 'Rain' > title.txt && build && [ "$(head -n 1 build/report.txt)" = Rain ] && kept build/total.txt && kept build/clean/lima.csv
}
leaves_nothing_half_written() {
  printf '2026-03-01,1\n2026-03-02,wet\n' > data/oslo.csv
  if build; then echo '  make succeeded although a script failed'; return 1; fi > /dev/null
  # The reason must be the script and not that nothing works.
  grep -q 'not a measurement' make.log && [ ! -e build/clean/oslo.csv ] && [ ! -e build/report.txt ] || return 1
  printf '2026-03-01,1\n' > data/oslo.csv && build && report 'kyoto 3 15.7' 'lima 2 0.3' 'oslo 1 1.0'
}
cleans() {
  touch clean all && build && report 'kyoto 3 15.7' 'lima 2 0.3' 'oslo 3 10.5' && build clean && [ ! -e build ] && build clean &&
    [ -e data/oslo.csv ]
}
only_the_makefile_changed() { diff -r -x Makefile -x build -x make.log /tests/station /srv/station; }

check builds builds
check builds_in_parallel builds_in_parallel
check does_nothing_twice does_nothing_twice
check sees_a_changed_file sees_a_changed_file
check sees_a_new_file sees_a_new_file
check sees_a_changed_clean_script sees_a_changed_clean_script
check sees_a_changed_total_script sees_a_changed_total_script
check sees_a_changed_title sees_a_changed_title
check leaves_nothing_half_written leaves_nothing_half_written
check cleans cleans
check only_the_makefile_changed only_the_makefile_changed

mkdir -p /logs/verifier
jq -s --arg failed "$failed" '{results: {tool: {name: "shell"}, summary: {tests: length, passed: (length - ($failed | tonumber)),
  failed: ($failed | tonumber), pending: 0, skipped: 0, other: 0, start: 0, stop: 0}, tests: .}}' "$results" > /logs/verifier/ctrf.json
[ "$failed" = 0 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
