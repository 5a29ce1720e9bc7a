import { describe, expect, it } from 'vitest';
import { atMost } from './clock.ts';

describe('time left of a share of the time', () => {
  it('counts what the rollout counts, so not what is spent paused', () => {
    let left = 900;
    const share = atMost(() => left, 300);
    expect(share()).toBe(300);
    left = 800;
    expect(share()).toBe(200);
    left = 590;
    expect(share()).toBe(-10);
  });

  it('is never more than the rollout has', () => {
    expect(atMost(() => 100, 300)()).toBe(100);
  });

  it('runs by the wall clock where the rollout has no limit', () => {
    const share = atMost(() => Number.POSITIVE_INFINITY, 300);
    expect(share()).toBeLessThanOrEqual(300);
    expect(share()).toBeGreaterThan(200);
  });
});
