import type { Request, Response } from '@tastegraph/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { placeOf, variantAt } from '../../../src/experiments/served.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { attributeProject } from '../../../src/outcomes/attribution/attribute-project.ts';
import { variantKey } from '../../../src/outcomes/log/keys.ts';
import { sortBatches } from '../../../src/outcomes/log/sort-batches.ts';
import { startApi } from '../../../src/processes/api.ts';
import { attributionContext, idAt, logAnswers, loggedAnswer } from '../outcomes/logged-answers.ts';
import { projectKeyOf } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';
import { batchesOf, makeProject } from '../stack/training.ts';

const hourMs = 3600_000;
const dayMs = 24 * hourMs;
const userCount = 2000;
const windowHours = 24;
/** Midnight, eight days ago: every user comes in the six days after it. */
const start = (Math.floor(Date.now() / dayMs) - 8) * dayMs;

// Without a worker: the tests run its steps.
ownProduct({}, startApi);

const project = perFile(() => makeProject(caller));

beforeAll(async () => {
  for (const name of ['better', 'same', 'lossy']) {
    const { project_id } = project;
    await caller.call('createScenario', { project_id, name, question: 'ITEMS_TO_USER' });
  }
});

/** As if it had been created before the first user came. */
async function begin(
  scenario: string,
  more: Partial<Request<'createExperiment'>> = {},
): Promise<Response<'createExperiment'>> {
  const variants = [{ name: 'control' }, { name: 'treatment' }];
  const sent = { project_id: project.project_id, name: scenario, scenario, variants, ...more };
  const experiment = await caller.call('createExperiment', sent);
  await api.rows(
    'UPDATE experiments SET created_at = to_timestamp($2::float8 / 1000) WHERE experiment_id = $1',
    [experiment.experiment_id, start],
  );
  return experiment;
}

let [answers, events] = [0, 0];

interface Shop {
  readonly experiment: Response<'createExperiment'>;
  /** The item that a variant recommends to a user with a taste. */
  readonly recommend: (variant: string, taste: number) => string;
  readonly isLost?: (variant: string, n: number) => boolean;
}

/** The hash of a new experiment's ID assigns users by chance: names that land in the same variant in every run make its figures the same. */
function userIn({ experiment_id, variants, scenario }: Shop['experiment'], variant: string, n: number) {
  for (let attempt = 0; ; attempt++) {
    const user_id = `${scenario} ${n}, ${attempt}`;
    if (variantAt(variants, placeOf(experiment_id, user_id))?.name === variant) return user_id;
  }
}

/**
 * Visitors by their true taste: one item of three. A visitor buys a recommended item half of the time if it is of the own taste, and
 * one time in twenty if it is not; some buy again after the window, and some events are forged. Returns the purchases that count, by
 * variant.
 */
async function simulate({ experiment, recommend, isLost = () => false }: Shop) {
  const { experiment_id, variants, scenario } = experiment;
  const logged: ReturnType<typeof loggedAnswer>[] = [];
  const bought: object[] = [];
  const expected = new Map(
    variants.map(({ name }) => [name, { users: 0, converted: 0, events: 0, value: 0 }]),
  );
  for (let n = 0; n < userCount; n++) {
    const variant = variants[Math.floor(n / 12) % variants.length]?.name ?? '';
    const user_id = userIn(experiment, variant, n);
    const counted = expected.get(variant);
    if (!counted || isLost(variant, n)) continue;
    const ts = start + Math.floor((n / userCount) * 6 * dayMs);
    const item = recommend(variant, n % 3);
    const answer = (at: number) =>
      loggedAnswer({
        account_id: caller.accountId,
        project_id: project.project_id,
        recommendation_id: idAt(at, answers++),
        scenario,
        user_id,
        item_ids: [item],
        variant: variantKey(experiment_id, variant),
      });
    const first = answer(ts);
    // A second answer on the same day, which is no second exposure.
    logged.push(first, answer(ts + hourMs));
    counted.users++;
    const buy = (at: number, fields: object = {}) =>
      bought.push({ event_id: `x${events++}`, user_id, item_id: item, event_type: 'buy', ts: at, ...fields });
    if (n % 50 === 0) {
      // Of a stranger, of an item that was not shown, and before the answer.
      const forged = { recommendation_id: first.recommendation_id, event_value: 1e9 };
      buy(ts + hourMs, { ...forged, user_id: `stranger ${n}` });
      buy(ts + hourMs, { ...forged, item_id: 'not shown' });
      buy(ts - 1, forged);
    }
    const luck = (n * 7919) % 100;
    if (luck >= (item === `i${n % 3}` ? 50 : 5)) continue;
    buy(ts + 2 * hourMs, { event_value: 2.5 });
    if (n % 2 === 0) buy(ts + 3 * hourMs, { event_value: 1, recommendation_id: first.recommendation_id });
    // After the window: attributed to an answer, but not part of the measurement.
    buy(ts + (windowHours + 0.5) * hourMs, { event_value: 100 });
    counted.converted++;
    counted.events += n % 2 === 0 ? 2 : 1;
    counted.value += n % 2 === 0 ? 3.5 : 2.5;
  }
  await logAnswers(api.store, logged);
  const sorting = { db: api.db, store: api.store, stopping: new AbortController().signal };
  const sorted = async () => {
    await sortBatches(sorting, createLog('silent', 'worker')).catch(() => undefined);
    const rows = await api.rows<{ answers: number }>('SELECT answers FROM decision_files');
    return rows.reduce((sum, row) => sum + row.answers, 0);
  };
  await expect.poll(sorted, { timeout: 50_000, interval: 250 }).toBe(answers);
  const { event_dataset_id } = project;
  for (const events of batchesOf(bought))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: events as never });
  return variants.map(({ name }) => expected.get(name));
}

async function measure(stopping = new AbortController().signal): Promise<void> {
  const projectKey = await projectKeyOf(api.db, project.project_id);
  await attributeProject(attributionContext(api, stopping), projectKey);
}

const results = ({ experiment_id }: Response<'createExperiment'>) =>
  caller.call('getExperiment', { project_id: project.project_id, experiment_id });
const sumsOf = ({ results: variants }: Response<'getExperiment'>) =>
  variants.map(({ measured_users, converted, target_events, value }) => ({
    users: measured_users,
    converted: converted.total,
    events: target_events.total,
    value: value.total,
  }));
const announced = async () =>
  (await api.rows<{ body: string }>('SELECT body FROM webhook_messages ORDER BY message_key')).map(
    ({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> },
  );

describe('an experiment on users with a true taste', () => {
  test('finds the better variant, with exact sums, and announces it once; a killed worker changes nothing', async () => {
    await caller.call('createWebhook', { url: 'https://example.com/', events: ['experiment.decided'] });
    const experiment = await begin('better');
    const expected = await simulate({
      experiment,
      recommend: (variant, taste) => (variant === 'control' ? 'i0' : `i${taste}`),
    });
    const before = await results(experiment);
    expect([before.measured_ts, before.verdict]).toEqual([null, 'UNDECIDED']);
    // A worker that is stopped in the middle leaves no trace.
    await expect(measure(AbortSignal.abort())).rejects.toThrow();
    expect(await results(experiment)).toEqual(before);
    await measure();
    const found = await results(experiment);
    expect(sumsOf(found)).toEqual(expected);
    expect(found.results.map(({ users, answers: given }) => given / users)).toEqual([2, 2]);
    expect(found).toMatchObject({ verdict: 'VARIANT_BETTER', winner: 'treatment' });
    expect(found.results.map(({ verdict }) => verdict)).toEqual(['CONTROL', 'BETTER']);
    expect(found.sample_ratio.is_mismatch).toBe(false);
    // The true difference is 50% - 20%.
    const { low, high, difference } = found.results[1]?.converted ?? {};
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(0.3);
    expect(high).toBeGreaterThan(0.3);
    expect(found.days.at(-1)?.variants[1]?.difference).toBeCloseTo(difference ?? 0, 12);
    // One user after the other: intervals get narrower by the day.
    const widths = found.days.flatMap(({ variants: [, one] }) =>
      one && one.high !== null && one.low !== null ? [one.high - one.low] : [],
    );
    expect(widths.length).toBeGreaterThan(3);
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
    await measure();
    const again = await results(experiment);
    expect(again).toEqual({ ...found, measured_ts: again.measured_ts });
    const { experiment_id, project_id } = experiment;
    const data = { experiment_id, project_id, verdict: 'VARIANT_BETTER', winner: 'treatment' };
    expect(await announced()).toMatchObject([{ type: 'experiment.decided', data }]);
    const outcomes = await caller.call('getOutcomes', { project_id, scenario: 'better' });
    expect(new Set(outcomes.totals.map((one) => [one.experiment_id, one.variant].join()))).toEqual(
      new Set([`${experiment_id},control`, `${experiment_id},treatment`]),
    );
  });

  test('does not decide between equal variants', async () => {
    const experiment = await begin('same');
    const expected = await simulate({ experiment, recommend: (_, taste) => `i${taste}` });
    await measure();
    const found = await results(experiment);
    expect(sumsOf(found)).toEqual(expected);
    expect(found).toMatchObject({ verdict: 'UNDECIDED', winner: null, decided_ts: null });
    const { low, high } = found.results[1]?.converted ?? {};
    expect([Math.sign(low ?? 0), Math.sign(high ?? 0)]).toEqual([-1, 1]);
    expect(await announced()).toHaveLength(1);
    // Values are 2.5 and 1.
    const { project_id } = project;
    await caller.call('updateProject', { project_id, event_value_max: 1 });
    await measure();
    const capped = expected.map((one) => one && { ...one, value: one.events });
    expect(sumsOf(await results(experiment))).toEqual(capped);
    await caller.call('updateProject', { project_id, event_value_max: null });
  });

  test('is invalid if one variant loses users, however good it looks', async () => {
    const experiment = await begin('lossy');
    await simulate({
      experiment,
      recommend: (variant, taste) => (variant === 'control' ? 'i0' : `i${taste}`),
      isLost: (variant, n) => variant === 'treatment' && n % 4 === 0,
    });
    await measure();
    const found = await results(experiment);
    expect(found).toMatchObject({ verdict: 'INVALID', winner: null, sample_ratio: { is_mismatch: true } });
    expect(found.results[1]?.verdict).toBe('INVALID');
  });
});
