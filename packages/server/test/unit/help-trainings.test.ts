import { expect, test } from 'vitest';
import type { WorkerServices } from '../../src/jobs/engine/job-definition.ts';
import { training } from '../../src/jobs/training/job-type.ts';

test('a worker helps the trainings of others only if trainings are shared', () => {
  const idleWith = (sharedFromEvents: number) => training.idle?.({ sharedFromEvents } as WorkerServices);
  expect(idleWith(0)).toBeUndefined();
  expect(idleWith(1)).toBeDefined();
});
