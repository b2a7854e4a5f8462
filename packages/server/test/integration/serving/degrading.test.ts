import { beforeAll, describe, expect, test } from 'vitest';
import { withoutId } from '../stack/caller.ts';
import { lockEvents } from '../stack/lock-events.ts';
import { idsIn } from '../stack/shop.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';
import { makeProject, type TestProject, trainModel } from '../stack/training.ts';

/** Of each call; only those that cannot read a history take as long. A busy machine is slow, not wrong. */
const deadlineMs = 3000;

ownProduct({ SERVING_DEADLINE_MS: String(deadlineMs) });

let project: TestProject;
let models: { key: number; object: string }[];

beforeAll(async () => {
  project = await makeProject(caller);
  models = [await train({ regularization: 5 }), await train({ regularization: 500, recency: 3 })];
});

async function train(parameters: Record<string, number>) {
  const id = await trainModel(caller, project, { parameters });
  const text = 'SELECT model_key AS key, object_key AS object FROM models WHERE model_id = $1';
  const [row] = await api.rows<{ key: number; object: string }>(text, [id]);
  return { key: row?.key ?? 0, object: row?.object ?? '' };
}

/** Bypasses the job, which would not deploy broken models. */
async function deploy(generator: number, ranker: number | null = null, qps = 100_000): Promise<void> {
  await api.rows(
    `INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps)
      SELECT project_key, $2, $3, $4 FROM projects WHERE project_id = $1
      ON CONFLICT (project_key) DO UPDATE SET generator_model_key = $2, ranker_model_key = $3, qps = $4`,
    [project.project_id, generator, ranker, qps],
  );
}

const keyOf = (place: 0 | 1) => models[place]?.key ?? 0;
const ask = (user_id: string, fields: object = {}) =>
  caller.call('recommendItemsToUser', { user_id, project_id: project.project_id, limit: 10, ...fields });
const idsOf = async (...asked: Parameters<typeof ask>) => idsIn(await ask(...asked));
/** Whatever the answer is. */
const tryToAsk = (user_id: string) =>
  caller.ask('recommendItemsToUser', { user_id, project_id: project.project_id });

describe('a ranker', () => {
  test("re-orders the generator's results by its own scores", async () => {
    await deploy(keyOf(1));
    const bySecond = await idsOf('u5', { limit: 200 });
    await deploy(keyOf(0), keyOf(1));
    const ranked = await idsOf('u5', { limit: 8 });
    expect(ranked).toEqual(bySecond.filter((id) => ranked.includes(id)));
  });

  test('orders the same items for every limit, so that a shorter list is the beginning of a longer one', async () => {
    await deploy(keyOf(0), keyOf(1));
    const boosts = [{ if: 'item.parity == "0"', factor: 3 }];
    for (const fields of [{}, { boosts }])
      for (let user = 0; user < 20; user++) {
        const whole = await idsOf(`u${user}`, { limit: 30, ...fields });
        const limit = 1 + (user % 3);
        expect(await idsOf(`u${user}`, { limit, ...fields })).toEqual(whole.slice(0, limit));
      }
  });

  test("that cannot be loaded leaves the generator's order, and the response says so", async () => {
    await deploy(keyOf(0));
    const plain = await ask('u6');
    expect(plain.degraded).toEqual([]);
    const broken = await train({ regularization: 50 });
    await api.store.delete(broken.object);
    await deploy(keyOf(0), broken.key);
    expect(withoutId(await ask('u6'))).toEqual({ ...withoutId(plain), degraded: ['ranker'] });
  });
});

describe('a history that cannot be read', () => {
  test('is left out in time, and the response says so', async () => {
    await deploy(keyOf(0));
    const known = await ask('u7');
    const lock = await lockEvents(api, project);
    const answer = await ask('u7');
    expect(answer.degraded).toEqual(['history']);
    expect(answer.results).toHaveLength(10);
    await lock.release();
    expect(withoutId(await ask('u7'))).toEqual(withoutId(known));
  });

  test('does not bring back a project that was shut down', async () => {
    await deploy(keyOf(0));
    expect((await ask('u7')).results).toHaveLength(10);
    await caller.call('shutdownDeployment', { project_id: project.project_id });
    expect((await tryToAsk('u7')).body.code).toBe('PROJECT_NOT_DEPLOYED');
    await lockEvents(api, project);
    expect((await tryToAsk('u7')).status).not.toBe(200);
  });
});

describe('a generator that cannot be loaded', () => {
  test('is answered with 503 and Retry-After', async () => {
    const gone = await train({ regularization: 70 });
    await api.store.delete(gone.object);
    await deploy(gone.key);
    const { status, headers, body } = await tryToAsk('u1');
    expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'UNAVAILABLE',
      retry: '1',
    });
    await deploy(keyOf(0));
    expect((await ask('u1')).results).toHaveLength(10);
  });
});

describe('queries per second', () => {
  test('above the deployed limit are refused with Retry-After; a changed limit applies at once', async () => {
    await deploy(keyOf(0), null, 5);
    const start = performance.now();
    await ask('u2');
    const askOften = () => Promise.all(Array.from({ length: 20 }, () => tryToAsk('u2')));
    const answers = await askOften();
    const seconds = (performance.now() - start) / 1000;
    const refused = answers.filter(({ status }) => status === 429);
    // Of 21 calls, those of a full bucket were allowed, one that was asked at the same moment, and those of the time that they took.
    expect(refused.length).toBeGreaterThanOrEqual(20 - 6 - Math.floor(5 * seconds));
    expect(refused).not.toEqual([]);
    expect(refused[0]?.body.code).toBe('QPS_EXCEEDED');
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    await deploy(keyOf(0), null, 100_000);
    await expect.poll(async () => (await tryToAsk('u2')).status).toBe(200);
    expect(new Set((await askOften()).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
