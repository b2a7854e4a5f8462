import { expect, test } from 'vitest';
import type { ServedVariant } from '../../src/experiments/rows/experiments.ts';
import { Experiments } from '../../src/experiments/served.ts';
import { CallClock } from '../../src/serving/call-clock.ts';
import { createLiveReads } from '../../src/serving/state/live-reads.ts';

const location = { id: 'd', key: 1, partition: 0, table: 't' };
const project = {
  project_key: 1,
  project_id: 'p',
  account_id: 'a',
  target_event_type: 'buy',
  users: location,
  items: location,
  events: location,
};
const variant: ServedVariant = {
  name: 'only',
  share: 1,
  generator: null,
  ranker: null,
  scenario_version: null,
  settings: null,
};

test('an experiment that was not found is read again by the next call, and one that was found is not', async () => {
  const answers = [[], [variant]];
  const db = { rows: async <Row>() => (answers.shift() ?? []) as Row[] };
  const experiments = new Experiments(createLiveReads(db, 1));
  const call = { project, experimentId: 'x', userId: 'u', modelId: undefined, degraded: [] };
  const assign = async () => (await experiments.assign({ ...call, clock: new CallClock(1000) }))?.name;
  expect([await assign(), await assign(), await assign()]).toEqual([undefined, 'only', 'only']);
});
