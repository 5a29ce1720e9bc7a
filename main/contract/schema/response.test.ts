import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readResponse } from './response.ts';

describe('reading an answer', () => {
  it('takes the protocol apart', () => {
    const parts = readResponse(
      'Let me see.\n```json\n{"analysis": "It \\"fails\\"\\nhere", "plan": "fix", "commands": [{"keystrokes": "ls\\n", "duration": 0.1}], "task_complete": true}\n```',
    );
    expect(parts).toEqual({
      protocol: 'json',
      before: 'Let me see.',
      analysis: 'It "fails"\nhere',
      plan: 'fix',
      keystrokes: ['ls\n'],
      complete: true,
    });
  });

  it('shows what there is of one that is still being written', () => {
    expect(readResponse('{"analysis": "The build')).toMatchObject({ protocol: 'json', analysis: 'The build', plan: '' });
    expect(readResponse('{"analysis": "a", "commands": [{"keystrokes": "make\\')).toMatchObject({ keystrokes: ['make\\'] });
  });

  it('leaves other text alone', () => {
    expect(readResponse('<think>hm</think><command>ls</command>').protocol).toBe('text');
    expect(readResponse('<action>done</action>').complete).toBe(true);
  });

  it('never throws, and is quick on a megabyte of trouble', () => {
    void fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        readResponse(`{"plan": "${text}`);
      }),
    );
    readResponse('{"analysis": "'.repeat(70_000));
  }, 5_000);
});
