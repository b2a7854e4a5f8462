import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { watchLoop } from '../../watch-loop.ts';
import type { Caller } from '../stack/caller.ts';
import { api, perFile, test } from '../stack/stack.ts';
import {
  deployModel,
  fixedParameters,
  makeProject,
  type TestProject,
  trainModel,
} from '../stack/training.ts';

const items = 3000;
const tags = Array.from({ length: 350 }, (_, tag) => tag);
/**
 * The most CPU milliseconds per event-loop iteration of this process (server and test), including garbage collections.
 * Without slices, such a filter blocked the process for seconds; `npm run bench -- neighbours` measures what is left.
 */
const blockedMs = 1000;

let other: Caller;
let otherProject: TestProject;

async function deploy(caller: Caller, made: TestProject): Promise<void> {
  await deployModel(api.rows, await trainModel(caller, made));
}

const attacker = perFile(() => api.newCaller(), test);
const project = perFile(() => makeProject(attacker, { items, parameters: fixedParameters }), test);

test.beforeAll(async () => {
  const { item_dataset_id } = project;
  const records = Array.from({ length: items }, (_, n) => ({ item_id: `i${n}`, attributes: { tags, n } }));
  for (let from = 0; from < items; from += 500)
    await attacker.call('upsertDatasetItems', { item_dataset_id, items: records.slice(from, from + 500) });
  await deploy(attacker, project);
  other = await api.newCaller();
  otherProject = await makeProject(other, { parameters: fixedParameters });
  await deploy(other, otherProject);
}, 180_000);

const attack = (filter_query: string) =>
  attacker.ask('recommendItemsToUser', {
    project_id: project.project_id,
    user_id: 'u1',
    limit: 200,
    filter_query,
  });

describe('several expensive filters at once', () => {
  test.each([
    ['loops in loops', 'item.tags.exists(a, item.tags.exists(b, a+b==-1))'],
    ['lists looked through in loops', 'size(item.tags.filter(t, t in item.tags)) == 0'],
    ['lists made in loops', 'item.tags.exists(a, size(item.tags.map(b, b + a) + item.tags) == 0)'],
  ])('neither block the process nor fail: %s', async (_, filter_query) => {
    let isOver = false;
    const { result, worstMs } = await watchLoop(async () => {
      const attacks = Promise.all(Array.from({ length: 6 }, () => attack(filter_query)));
      void attacks.finally(() => {
        isOver = true;
      });
      const statuses: number[] = [];
      do {
        statuses.push((await fetch(`${api.baseUrl}/healthz`)).status);
        const { project_id } = otherProject;
        statuses.push((await other.ask('recommendItemsToUser', { project_id, user_id: 'u1' })).status);
        await sleep(5);
      } while (!isOver);
      return { answers: await attacks, statuses };
    });
    expect(result.statuses.every((status) => status === 200)).toBe(true);
    for (const { status, body } of result.answers) {
      expect(status).toBe(200);
      expect({ results: body.results, isExplained: typeof body.shortfall === 'string' }).toEqual({
        results: [],
        isExplained: true,
      });
    }
    expect(worstMs).toBeLessThan(blockedMs);
  });
});
