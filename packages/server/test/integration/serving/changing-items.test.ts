import { describe, expect } from 'vitest';
import { entityRow, upsertEntities } from '../../../src/datasets/rows/entities.ts';
import { deployModel } from '../stack/deploy-model.ts';
import { select } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';
import { fixedParameters, makeProject, type TestProject, trainModel } from '../stack/training.ts';

let project: TestProject;

test.beforeAll(async () => {
  project = await makeProject(caller, { items: 600, parameters: fixedParameters });
  await deployModel((text, values) => select(api.db, text, values), await trainModel(caller, project));
}, 120_000);

const ask = (fields: object) =>
  caller.call('recommendItemsToUser', { project_id: project.project_id, user_id: 'u1', ...fields });

describe('a response', () => {
  test('never has an item twice, however items change during the call', async () => {
    const { item_dataset_id } = project;
    const progress = { isOver: false };
    const change = async (writer: number) => {
      for (let turn = 0; !progress.isOver; turn++) {
        // Items of the model's catalogue and new ones: some start to match, others stop.
        const ids = Array.from({ length: 100 }, (_, n) => (n * 7 + turn * 13 + writer * 50) % 900);
        const items = [...new Set(ids)].map((n) => ({
          item_id: `i${n}`,
          attributes: { lot: (n + turn) % 3 },
        }));
        await caller.call('upsertDatasetItems', { item_dataset_id, items });
        if (turn % 5 === 4)
          await caller.call('deleteDatasetItems', {
            item_dataset_id,
            ids: items.slice(0, 30).map(({ item_id }) => item_id),
          });
      }
    };
    const changing = Promise.all([change(0), change(1)]);
    try {
      for (let turn = 0; turn < 40; turn++) {
        // One filter that the mirror has evaluated, one that it has not, and none.
        const filter_query = [`item.lot == 1`, `item.lot == 1 || item.lot == ${turn + 10}`, null][turn % 3];
        const answers = await Promise.all([1, 2, 3].map(() => ask({ limit: 200, filter_query })));
        for (const { results } of answers) {
          const ids = results.map(({ item }) => item.item_id);
          expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
        }
      }
    } finally {
      progress.isOver = true;
      await changing;
    }
  }, 120_000);

  test('is cut where its records would take too many bytes, and says so', async () => {
    const dataset = await select<{ dataset_key: number; partition: number }>(
      api.db,
      'SELECT dataset_key, partition FROM datasets WHERE dataset_id = $1',
      [project.item_dataset_id],
    );
    const [found] = dataset;
    if (!found) throw new Error('the dataset is there');
    const text = 'x'.repeat(250_000);
    for (let n = 0; n < 60; n++)
      await upsertEntities(api.db, { ...found, kind: 'item' }, [
        entityRow({ id: `i${n}`, attributes: { text, big: n } }),
      ]);
    const filter_query = 'item.big < 60 && item.text.startsWith("x")';
    const request = { limit: 50, filter_query, exclude_seen: false };
    const whole = await ask({ ...request, attributes: ['text'] });
    expect(JSON.stringify(whole).length).toBeLessThan(4.5 * 1024 * 1024);
    expect(whole.results.length).toBeGreaterThan(10);
    expect(whole.results.length).toBeLessThan(20);
    expect(typeof whole.shortfall).toBe('string');
    const few = await ask({ ...request, attributes: ['big'] });
    expect({ results: few.results.length, shortfall: few.shortfall }).toEqual({
      results: 50,
      shortfall: null,
    });
    expect(few.results.every(({ item }) => typeof item['big'] === 'number')).toBe(true);
  }, 60_000);
});
