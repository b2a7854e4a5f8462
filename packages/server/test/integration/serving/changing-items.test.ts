import { describe, expect } from 'vitest';
import { entityRow, upsertEntities } from '../../../src/datasets/rows/entities.ts';
import { placeOf } from '../stack/kinds.ts';
import { idsIn, openShop } from '../stack/shop.ts';
import { api, perFile, test } from '../stack/stack.ts';
import { fixedParameters } from '../stack/training.ts';

const shop = perFile(() => openShop({ items: 600, parameters: fixedParameters }), test);

const ask = (fields: object) => shop.recommend({ user_id: 'u1', ...fields });

describe('a response', () => {
  test('never has an item twice, however items change during the call', async () => {
    const progress = { isOver: false };
    const change = async (writer: number) => {
      for (let turn = 0; !progress.isOver; turn++) {
        // Items of the model's catalogue and new ones: some start to match, others stop.
        const ids = Array.from({ length: 100 }, (_, n) => (n * 7 + turn * 13 + writer * 50) % 900);
        const items = [...new Set(ids)].map((n) => ({
          item_id: `i${n}`,
          attributes: { lot: (n + turn) % 3 },
        }));
        await shop.upsert(...items);
        if (turn % 5 === 4) await shop.remove(...items.slice(0, 30).map(({ item_id }) => item_id));
      }
    };
    const changing = Promise.all([change(0), change(1)]);
    try {
      for (let turn = 0; turn < 40; turn++) {
        // One filter that the mirror has evaluated, one that it has not, and none.
        const filter_query = [`item.lot == 1`, `item.lot == 1 || item.lot == ${turn + 10}`, null][turn % 3];
        const answers = await Promise.all([1, 2, 3].map(() => ask({ limit: 200, filter_query })));
        for (const ids of answers.map(idsIn))
          expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
      }
    } finally {
      progress.isOver = true;
      await changing;
    }
  }, 120_000);

  test('is cut where its records would take too many bytes, and says so', async () => {
    const place = await placeOf(api.db, shop.project.item_dataset_id);
    const text = 'x'.repeat(250_000);
    for (let n = 0; n < 60; n++)
      await upsertEntities(api.db, { ...place, kind: 'item' }, [
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
