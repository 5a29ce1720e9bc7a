#!/bin/bash
# Whatever happens, the reward is written: a verifier that says nothing is no verdict.
mkdir -p /logs/verifier
reward=0
if cmp -s /app/sorted.txt <(printf 'Medlar\nfig\npear\nquince\n') \
  && cmp -s /app/words.txt <(printf 'pear\nfig\nquince\nfig\nMedlar\npear\n'); then
  reward=1
fi
echo "$reward" > /logs/verifier/reward.txt
