// Marks at the top of an instruction are not for the agent; a placeholder is not a solution.
import { expect, test } from 'vitest';
import { placeholderReason, stripCanary } from './text.ts';

test.each([
  ['a comment of a benchmark', '<!-- BENCHMARK DATA. canary GUID 1 -->\n\nDo it.\n', 'Do it.\n'],
  ['a line with a hash', '# x-canary GUID 1\r\nDo it.\r\n', 'Do it.\r\n'],
  ['several, over several lines', '<!-- Canary\nstring -->\n# canary 2\n\n\n  Do it.', '  Do it.'],
  ['a heading stays', '# Canada\n\nDo it.', '# Canada\n\nDo it.'],
  ['an ordinary comment stays', '<!-- note -->\nDo it.', '<!-- note -->\nDo it.'],
  ['only the top counts', 'Do it.\n# canary\n', 'Do it.\n# canary\n'],
  ['blank lines without a mark stay', '\n\nDo it.', '\n\nDo it.'],
  ['nothing but a mark', '# canary', ''],
])('%s', (_, text, expected) => {
  expect(stripCanary(text)).toBe(expected);
});

test.each([
  ['#!/bin/bash\n# Left out on purpose.\nexit 1\n', '"Left out on purpose."'],
  ['', 'it holds no command.'],
  ['#!/bin/sh\nset -euo pipefail\nexit 0', 'it holds no command.'],
  ['# canary GUID\ntrue\n', 'it holds no command.'],
])('%j is a placeholder', (script, reason) => {
  expect(placeholderReason(script)).toBe(reason);
});

test.each(['echo hi\nexit 1\n', 'set -e; make\n', './run.sh\n', 'exit $(check)\n'])('%j does something', (script) => {
  expect(placeholderReason(script)).toBeNull();
});
