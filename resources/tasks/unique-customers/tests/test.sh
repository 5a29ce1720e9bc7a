#!/bin/bash
# Runs the tests and turns pytest's exit code into the reward. Isolated (-I, no ini file, no conftest), so that nothing the agent
# left in the environment takes part.
mkdir -p /logs/verifier
cd /tests || exit 1
if python3 -I -m pytest -rA -p no:cacheprovider --noconftest -c /dev/null --rootdir=/tests test_outputs.py; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
