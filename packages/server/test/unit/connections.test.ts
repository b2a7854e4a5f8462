import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/config.ts';
import { shareConnections } from '../../src/processes/reads.ts';

const roles: Role[] = ['api', 'serving', 'worker', 'all-in-one'];

describe.each(roles)('the connections of %s', (role) => {
  test('never exceed DATABASE_POOL_SIZE, if that is at least three', () => {
    for (let total = 3; total <= 500; total++) {
      const { control, work, serving } = shareConnections(total, role);
      const pools = role === 'all-in-one' ? [control, work, serving] : [control, work];
      expect(pools.reduce((sum, size) => sum + size)).toBe(total);
    }
  });

  test('give every pool at least one connection', () => {
    for (let total = 1; total <= 20; total++) {
      const { control, work, serving, calls } = shareConnections(total, role);
      expect(Math.min(control, work, serving, calls)).toBeGreaterThanOrEqual(1);
      if (work > 2) expect(calls).toBeLessThan(work);
    }
  });
});
