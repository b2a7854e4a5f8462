import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { CallClock } from '../../../src/serving/call-clock.ts';
import type { ServedProject } from '../../../src/serving/rows/serving-reads.ts';
import { createLiveReads, type LiveReads } from '../../../src/serving/state/live-reads.ts';
import { Projects } from '../../../src/serving/state/projects.ts';
import { lockEvents } from '../stack/lock-events.ts';
import { deployDirectly } from '../stack/shop.ts';
import { api, test } from '../stack/stack.ts';
import { fixedParameters, makeProject, trainModel } from '../stack/training.ts';

/** These tests are not about time. */
const plentyMs = 20_000;
/** Does not become small when PostgreSQL compresses it. */
const largeText = Array.from({ length: 100 }, (_, n) =>
  createHash('sha256').update(`${n}`).digest('base64'),
).join('');
/** Two deployed projects of two accounts, and one without a deployment. */
let first: ServedProject;
let second: ServedProject;
let undeployed: ServedProject;

test.beforeAll(async () => {
  first = await newProject('first', true);
  second = await newProject('second', true);
  undeployed = await newProject('third', false);
}, 120_000);

async function newProject(name: string, isDeployed: boolean): Promise<ServedProject> {
  const caller = await api.newCaller();
  const made = await makeProject(caller, {
    parameters: fixedParameters,
    attributesOf: (item) => ({ title: `${name} ${item}`, text: item % 2 ? largeText : 'short' }),
  });
  if (isDeployed) await deployDirectly(await trainModel(caller, made));
  await caller.call('upsertDatasetUsers', {
    user_dataset_id: made.user_dataset_id,
    users: [{ user_id: 'u1', attributes: { of: name } }],
  });
  const clock = new CallClock(plentyMs);
  return new Projects(api.db).resolve(caller.credentials.accountId, made.project_id, clock);
}

/** Reads that count their statements. */
function newReads(): { reads: LiveReads; statements: string[] } {
  const statements: string[] = [];
  const reads = createLiveReads(
    {
      rows: (statement, values) => {
        statements.push(statement.name);
        return api.db.rows(statement, values);
      },
    },
    8,
  );
  return { reads, statements };
}

const callOf = (reads: LiveReads, project: ServedProject) =>
  reads.forCall(project, performance.now() + plentyMs);

test('concurrent calls of several projects share a statement, and each gets the user of its own project', async () => {
  const { reads, statements } = newReads();
  const [one, other, none, again] = await Promise.all([
    callOf(reads, first).userState('u1'),
    callOf(reads, second).userState('u1'),
    callOf(reads, undeployed).userState('u1'),
    callOf(reads, first).userState('u2'),
  ]);
  expect(statements).toEqual(['read_user_states']);
  expect(one).toMatchObject({ attributes: { of: 'first' } });
  expect(other).toMatchObject({ attributes: { of: 'second' } });
  expect(again).toMatchObject({ attributes: null, generator: one?.generator });
  expect(one?.generator.model_id).not.toBe(other?.generator.model_id);
  expect(one?.events.length).toBeGreaterThan(0);
  expect(none).toBeUndefined();
});

test('concurrent calls of several projects share a statement for items, and each gets its own fields', async () => {
  const { reads, statements } = newReads();
  const ask = (project: ServedProject, ids: string[], fields: string[] | 'all') =>
    callOf(reads, project).items({ ids, fields, ownStatement: false });
  const [one, other, all] = await Promise.all([
    ask(first, ['i1', 'i0', 'gone'], ['title']),
    ask(second, ['i1'], ['title']),
    ask(undeployed, ['i3'], 'all'),
  ]);
  expect(statements).toEqual(['read_items']);
  const [exists] = await Promise.all([ask(first, ['i5'], []), ask(second, ['i1'], [])]);
  expect([...one.keys()].toSorted()).toEqual(['i0', 'i1']);
  // A large record is read without what nobody asked for.
  expect(one.get('i1')?.attributes).toEqual({ title: 'first 1' });
  expect(one.get('i0')?.attributes).toMatchObject({ title: 'first 0' });
  expect(other.get('i1')?.attributes).toEqual({ title: 'second 1' });
  expect(all.get('i3')?.attributes).toEqual({ title: 'third 3', text: largeText });
  expect([...exists.keys()]).toEqual(['i5']);
  expect(exists.get('i5')?.attributes).toEqual({});
});

test('a fault in the data of one project does not fail the calls of another', async () => {
  const { reads } = newReads();
  const broken: ServedProject = { ...first, events: { ...first.events, partition: 999 } };
  const [failed, answered] = await Promise.allSettled([
    callOf(reads, broken).userState('u1'),
    callOf(reads, second).userState('u1'),
  ]);
  expect(failed).toMatchObject({
    status: 'rejected',
    reason: { message: 'relation "events_p999" does not exist' },
  });
  expect(answered).toMatchObject({ status: 'fulfilled', value: { attributes: { of: 'second' } } });
});

test('while the table of one project is locked, calls of another are answered', async () => {
  const { reads } = newReads();
  expect(first.events.table).not.toBe(second.events.table);
  const lock = await lockEvents(api, { event_dataset_id: first.events.id });
  let isReleased = false;
  // Some calls of the other project are in the same statements as those that are stuck.
  const stuck = Array.from({ length: 40 }, (_, n) =>
    callOf(reads, n % 2 ? second : first).userState(`u${n}`),
  );
  const stuckEnds = Promise.all(stuck).then((states) => {
    expect(isReleased).toBe(true);
    return states.length;
  });
  for (let n = 0; n < 10; n++)
    expect(await callOf(reads, second).userState('u1')).toMatchObject({ attributes: { of: 'second' } });
  isReleased = true;
  await lock.release();
  expect(await stuckEnds).toBe(40);
});
