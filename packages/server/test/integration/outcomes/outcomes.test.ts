import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { timeOfId } from '../../../src/http/ids.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { requireSecret } from '../../../src/kernel/postgres/secrets.ts';
import { attributeOutcomes } from '../../../src/outcomes/attribution/attribute-outcomes.ts';
import { attributeProject } from '../../../src/outcomes/attribution/attribute-project.ts';
import { FileCopies } from '../../../src/outcomes/attribution/file-copies.ts';
import { outcomes as module } from '../../../src/outcomes/index.ts';
import { createIdSigner, idSecretName } from '../../../src/outcomes/log/signed-ids.ts';
import { attributionAge } from '../../../src/outcomes/metrics.ts';
import { findAttributionAge } from '../../../src/outcomes/rows/outcome-states.ts';
import { purgeOutcomes } from '../../../src/outcomes/rows/outcomes.ts';
import { attributed, hooks } from '../../../src/processes/modules.ts';
import { readSamples } from '../../prometheus.ts';
import { projectKeyOf } from '../stack/kinds.ts';
import { runStep } from '../stack/run-step.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { makeProject } from '../stack/training.ts';
import { attributionContext, idAt, logAnswers, loggedAnswer, sortAll } from './logged-answers.ts';

const hourMs = 3600_000;
const dayMs = 24 * hourMs;
/** Noon, two days ago. */
const noon = (Math.floor(Date.now() / dayMs) - 2) * dayMs + 12 * hourMs;

let projectKey: number;

ownProduct();

const project = perFile(() => makeProject(caller));

beforeAll(async () => {
  projectKey = await projectKeyOf(api.db, project.project_id);
});

let answers = 0;
const answer = (user_id: string, ts: number, item_ids = ['a', 'b'], model_id = 'mdl_g1') =>
  loggedAnswer({
    account_id: caller.accountId,
    project_id: project.project_id,
    recommendation_id: idAt(ts, answers++),
    user_id,
    item_ids,
    model_id,
  });
let events = 0;
const event = (user_id: string, item_id: string, ts: number, fields: object = {}) => ({
  event_id: `o${events++}`,
  user_id,
  item_id,
  ts,
  event_type: 'buy',
  ...fields,
});
const write = (some: object[]) =>
  caller.call('upsertDatasetEvents', { event_dataset_id: project.event_dataset_id, events: some as never });

async function log(...some: ReturnType<typeof answer>[]): Promise<void> {
  await logAnswers(api.store, some);
  await sortAll(api);
}

/** Attributes now. A worker may be doing the same: then the newer run counts, and this one is repeated. */
async function outcomes(store: Pick<ObjectStore, 'read' | 'put'> = api.store) {
  const attribute = () =>
    attributeProject({ ...attributionContext(api), store }, projectKey).then(
      () => true,
      () => false,
    );
  await expect.poll(attribute, { timeout: 50_000 }).toBe(true);
  return caller.call('getOutcomes', { project_id: project.project_id });
}

/** Day, model, answers, clicked, converted, target events, value. */
const figures = ({ days }: Awaited<ReturnType<typeof outcomes>>) =>
  days.map((day) => [
    day.day,
    day.model_id,
    day.answers,
    day.clicked.total,
    day.converted.total,
    day.target_events.total,
    day.value.total,
  ]);
const nameOf = (ts: number) => new Date(ts).toISOString().slice(0, 10);

describe('outcomes', () => {
  test('attribute events to the answer they name, else to the last one that held the item in time', async () => {
    const first = answer('ann', noon);
    const later = answer('ann', noon + hourMs, ['a', 'c'], 'mdl_pop');
    const bob = answer('bob', noon);
    // Of a person who looks at the list of a user in the console.
    const trial = { ...answer('ann', noon + 1.5 * hourMs, ['a', 'b']), is_trial: true };
    await log(first, later, bob, trial);
    await write([
      // The last answer with the item, and before the event.
      event('ann', 'a', noon + 2 * hourMs, { event_value: 3 }),
      event('ann', 'b', noon + 2 * hourMs, { event_type: 'view' }),
      // Named: it is not the last one.
      event('ann', 'a', noon + 3 * hourMs, { recommendation_id: first.recommendation_id, event_value: 2 }),
      // Too late, before the answer, of another user, of an item that was not recommended.
      event('bob', 'a', noon + 25 * hourMs),
      event('bob', 'b', noon - 1),
      event('eve', 'a', noon + hourMs),
      event('bob', 'c', noon + hourMs),
    ]);
    const found = await outcomes();
    expect(figures(found)).toEqual([
      [nameOf(noon), 'mdl_g1', 2, 1, 1, 1, 2],
      [nameOf(noon), 'mdl_pop', 1, 1, 1, 1, 3],
    ]);
    expect(found.attributed_ts).not.toBeNull();
    const { total } = found.without_recommendation;
    expect([total.visits, total.converted.total, total.target_events.total]).toEqual([4, 4, 4]);
    // One visit of ann to a, with two purchases, and one to b.
    const led = found.with_recommendation.total;
    expect([led.visits, led.converted.total, led.target_events.total, led.value.total]).toEqual([2, 1, 2, 5]);
    expect([led.converted.rate, led.value.rate]).toEqual([0.5, 2.5]);
    const ledDays = found.with_recommendation.days.filter(({ visits }) => visits > 0);
    expect(ledDays).toEqual([{ day: nameOf(noon), ...led }]);
    for (const { clicked } of found.totals) {
      expect(clicked.low ?? 1).toBeLessThan(clicked.rate ?? 0);
      expect(clicked.high ?? 0).toBeGreaterThanOrEqual(clicked.rate ?? 1);
    }
    expect(figures(await outcomes())).toEqual(figures(found));
  });

  test('include late, changed and deleted events, and late answers', async () => {
    const cleo = answer('cleo', noon);
    await log(cleo);
    const late = event('cleo', 'a', noon + 3 * hourMs, { event_value: 5 });
    await write([late]);
    const g1 = async () => figures(await outcomes())[0];
    expect(await g1()).toEqual([nameOf(noon), 'mdl_g1', 3, 2, 2, 2, 7]);
    // Moved out of the window, to another day.
    await write([{ ...late, ts: noon + 26 * hourMs }]);
    expect(await g1()).toEqual([nameOf(noon), 'mdl_g1', 3, 1, 1, 1, 2]);
    await write([late]);
    expect(await g1()).toEqual([nameOf(noon), 'mdl_g1', 3, 2, 2, 2, 7]);
    // A later answer takes over the event.
    await log(answer('cleo', noon + hourMs, ['a'], 'mdl_pop'));
    expect(figures(await outcomes())).toEqual([
      [nameOf(noon), 'mdl_g1', 3, 1, 1, 1, 2],
      [nameOf(noon), 'mdl_pop', 2, 2, 2, 2, 8],
    ]);
    await caller.call('deleteDatasetUserEvents', {
      event_dataset_id: project.event_dataset_id,
      user_id: 'cleo',
    });
    expect(figures(await outcomes())[1]).toEqual([nameOf(noon), 'mdl_pop', 2, 1, 1, 1, 3]);
  });

  test('apply a changed attribution_hours to all days', async () => {
    const { project_id } = project;
    await caller.call('updateProject', { project_id, attribution_hours: 1 });
    expect((await caller.call('getProject', { project_id })).attribution_hours).toBe(1);
    const found = await outcomes();
    expect(found.attribution_hours).toBe(1);
    expect(figures(found).map(([, model, , clicked]) => [model, clicked])).toEqual([
      ['mdl_g1', 0],
      ['mdl_pop', 1],
    ]);
    const stranger = await api.newCaller();
    expect((await stranger.ask('getOutcomes', { project_id })).status).toBe(404);
  });

  test('count no event for an answer that it names unless its user got the item from it, in time', async () => {
    const then = noon - dayMs;
    const own = answer('fay', then, ['a'], 'mdl_own');
    // Of a page that is the same for everybody.
    const shared = { ...answer('nobody', then, ['a', 'b'], 'mdl_shared'), user_id: null };
    await log(own, shared);
    const soon = then + hourMs / 2;
    const naming = { recommendation_id: own.recommendation_id, event_value: 1e9 };
    await write([
      event('stranger-1', 'a', soon, naming),
      event('stranger-2', 'z', soon, naming),
      event('fay', 'z', soon, naming),
      event('fay', 'a', then - 1, naming),
      event('fay', 'a', then + hourMs + 1, naming),
      event('gus', 'a', soon, { ...naming, recommendation_id: idAt(then, 999_999) }),
      event('fay', 'a', soon, { recommendation_id: own.recommendation_id, event_value: 3 }),
      event('hal', 'b', soon, { recommendation_id: shared.recommendation_id, event_value: 4 }),
      event('hal', 'z', soon, { ...naming, recommendation_id: shared.recommendation_id }),
    ]);
    const found = figures(await outcomes());
    expect(found.filter(([day]) => day === nameOf(then))).toEqual([
      [nameOf(then), 'mdl_own', 1, 1, 1, 1, 3],
      [nameOf(then), 'mdl_shared', 1, 1, 1, 1, 4],
    ]);
  });

  test('count no named answer whose ID was not signed for its project and user', async () => {
    const { project_id } = project;
    const sign = createIdSigner(await requireSecret(api.db, idSecretName));
    const signed = (recommendation_id: string, model_id: string) => ({
      ...answer('ida', 0, ['a'], model_id),
      recommendation_id,
      ts: timeOfId(recommendation_id),
    });
    const own = signed(sign(project_id, 'ida'), 'mdl_signed');
    const forged = [
      sign(project_id, 'jon'),
      sign(project_id, undefined),
      sign(`prj_${'0'.repeat(26)}`, 'ida'),
    ];
    const others = forged.map((id, n) => signed(id, `mdl_forged_${n}`));
    const newest = signed(sign(project_id, 'ida'), 'mdl_last');
    const last = { ...newest, ts: newest.ts + 1000 };
    await log(own, ...others, last);
    await write(
      [own, ...others].map(({ recommendation_id }) => event('ida', 'a', last.ts, { recommendation_id })),
    );
    const { totals } = await outcomes();
    const eventsOf = (model: string) =>
      totals.find(({ model_id }) => model_id === model)?.target_events.total;
    expect(['mdl_signed', ...others.map(({ model_id }) => model_id ?? ''), 'mdl_last'].map(eventsOf)).toEqual(
      [1, 0, 0, 0, 3],
    );
  });

  test('count of one event at most the event_value_max of the project', async () => {
    const { project_id } = project;
    const valueOf = async () =>
      (await outcomes()).totals.find(({ model_id }) => model_id === 'mdl_shared')?.value;
    expect(await valueOf()).toMatchObject({ total: 4 });
    const changed = await caller.call('updateProject', { project_id, event_value_max: 2.5 });
    expect(changed.event_value_max).toBe(2.5);
    expect(await valueOf()).toMatchObject({ total: 2.5 });
    await caller.call('updateProject', { project_id, name: 'the limit stays' });
    expect(await valueOf()).toMatchObject({ total: 2.5 });
    await caller.call('updateProject', { project_id, event_value_max: null });
    expect(await valueOf()).toMatchObject({ total: 4 });
  });

  test('are computed from the files of answers that the changed events may belong to', async () => {
    const filesOf = (ts: number) =>
      api.rows<{ object_key: string; size: number; sha256: string }>(
        'SELECT object_key, size::float8 AS size, sha256 FROM decision_files WHERE project_key = $1 AND day = $2',
        [projectKey, ts / dayMs - 0.5],
      );
    const days = [noon - 9 * dayMs, noon - 6 * dayMs, noon - 3 * dayMs];
    const early = days.map((ts) => answer('dora', ts));
    await log(...early);
    await outcomes();
    // Nothing of the other days can matter, not even if an event names it.
    const seen = new Set<string>();
    const store: Pick<ObjectStore, 'read' | 'put'> = {
      put: (...args) => api.store.put(...args),
      read: (key, options) => {
        seen.add(key);
        return api.store.read(key, options);
      },
    };
    const readDays = async () => {
      const read: boolean[] = [];
      for (const ts of days) read.push((await filesOf(ts)).some(({ object_key }) => seen.has(object_key)));
      seen.clear();
      return read;
    };
    await write([event('dora', 'a', noon - 3 * dayMs + 1000)]);
    await outcomes(store);
    expect(await readDays()).toEqual([false, false, true]);
    await write([
      event('dora', 'q', noon - 3 * dayMs + 2000, { recommendation_id: early[0]?.recommendation_id }),
    ]);
    const found = await outcomes(store);
    expect(await readDays()).toEqual([false, false, true]);
    const clickedOn = (ts: number) => found.days.find(({ day }) => day === nameOf(ts))?.clicked.total;
    expect(days.map(clickedOn)).toEqual([0, 0, 1]);
  });

  test('read files again instead of keeping more copies than allowed', async () => {
    const files = await api.rows<{ object_key: string; size: number; sha256: string }>(
      'SELECT object_key, size::float8 AS size, sha256 FROM decision_files WHERE project_key = $1 ORDER BY day',
      [projectKey],
    );
    const [first, second] = files;
    if (!first || !second) throw new Error('there are not enough files');
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-copies-'));
    const stopping = new AbortController().signal;
    const copies = new FileCopies({ store: api.store, folder: folder.path, stopping, maxBytes: first.size });
    await copies.paths([first]);
    const both = await copies.paths([first, second]);
    expect(await readdir(folder.path)).toHaveLength(2);
    const [path = ''] = await copies.paths([second]);
    expect(path).toBe(both[1]);
    expect(await readdir(folder.path)).toEqual([basename(path)]);
    expect((await copies.paths([first]))[0]).toBe(both[0]);
  });

  test('are removed when they are too old, and no others', async () => {
    const keptBefore = await api.rows('SELECT project_key, day FROM outcomes ORDER BY day', []);
    expect(keptBefore.length).toBeGreaterThan(0);
    const oldDay = Math.floor(noon / dayMs) - 500;
    await api.rows(
      `INSERT INTO outcomes SELECT project_key, $1 + n, scenario, model_id, variant, answers, clicked, converted, target_events, value
        FROM (SELECT * FROM outcomes LIMIT 1) one, generate_series(0, 2) n`,
      [oldDay],
    );
    await api.rows('INSERT INTO outcome_days (project_key, day) VALUES ($1, $2)', [projectKey, oldDay]);
    expect(await purgeOutcomes(api.db, oldDay + 3, 2)).toBe(2);
    expect(await purgeOutcomes(api.db, oldDay + 3, 2)).toBe(1);
    expect(await purgeOutcomes(api.db, oldDay + 3, 2)).toBe(0);
    expect(await api.rows('SELECT project_key, day FROM outcomes ORDER BY day', [])).toEqual(keptBefore);
    expect(await api.rows('SELECT FROM outcome_days WHERE day <= $1', [oldDay])).toEqual([]);
  });

  test('attribute an event of a clock that is ahead as if it had just happened', async () => {
    const now = Date.now();
    await log(answer('zoe', now - 60_000, ['z'], 'mdl_ahead'));
    // Later than the answer by more than `attribution_hours`, unless it reads as now.
    await write([event('zoe', 'z', now + 23 * hourMs)]);
    const { days } = await outcomes();
    const ahead = days.filter(({ model_id }) => model_id === 'mdl_ahead');
    expect(ahead).toMatchObject([{ answers: 1, converted: { total: 1 } }]);
  });

  test('have metrics: how old they are, and what the workers did', async () => {
    const metrics = createMetrics(module.metrics);
    const samples = async () => readSamples(await metrics.read());
    metrics.watch(attributionAge, () => findAttributionAge(api.db));
    await outcomes();
    const age = 'tastegraph_attribution_age_seconds';
    expect((await samples())[age]).toBeLessThan(60);
    await api.rows("UPDATE outcome_states SET attributed_at = now() - interval '3 hours'", []);
    expect((await samples())[age]).toBeGreaterThan(10_000);
    const stop = new AbortController();
    const { db, store } = api;
    await write([event('eve', 'a', noon)]);
    await api.rows('UPDATE outcome_states SET due_at = now()', []);
    const { config } = api;
    const step = attributeOutcomes({ db, hooks, attributed, config, store, metrics, stopping: stop.signal });
    const attributing = runStep(step, stop.signal);
    // The worker of the test may have taken the run.
    const isDone = async () => {
      await api.rows(
        "UPDATE outcome_states SET due_at = now() WHERE due_at < now() + interval '5 minutes'",
        [],
      );
      return (await samples())['tastegraph_attribution_runs_total{outcome="done"}'];
    };
    await expect.poll(isDone, { timeout: 50_000 }).toBeGreaterThan(0);
    stop.abort();
    await attributing;
    expect((await samples())['tastegraph_attribution_seconds_total']).toBeGreaterThan(0);
    expect(await samples()).toHaveProperty('tastegraph_attribution_events_total');
  });
});
