import { describe, expect } from 'vitest';
import { expectSums, idsIn, openShop, parityOf } from '../stack/shop.ts';
import { invalid, perFile, test } from '../stack/stack.ts';

const shop = perFile(openShop, test);

const ask = (fields: object) => shop.recommend({ user_id: 'u0', ...fields });
const refuse = (fields: object) => shop.ask({ user_id: 'u0', ...fields });
const idsOf = async (fields: object) => idsIn(await ask(fields));
const isOdd = (id: string) => parityOf(id) === 1;
const odd = 'item.parity == "1"';

describe('boosts', () => {
  test('multiply the scores, and the reasons still add up', async () => {
    const plain = await ask({ limit: 40, explain: true });
    const scores = new Map(plain.results.map(({ item, score = 0 }) => [item.item_id, score]));
    const [first = '', second = ''] = scores.keys();
    const boosts = [
      { if: `item.item_id == "${second}"`, factor: 3 },
      { if: `item.item_id in ["${second}", "${first}"]`, factor: 0.5 },
    ];
    const boosted = await ask({ limit: 40, explain: true, boosts });
    const [best] = boosted.results;
    expect(best?.item.item_id).toBe(second);
    expect(best?.score).toBeCloseTo((scores.get(second) ?? 0) * 1.5, 9);
    expect(best?.rules?.map(({ rule, factor }) => [rule, factor])).toEqual([
      ['boost', 3],
      ['boost', 0.5],
    ]);
    expectSums(boosted.results);
    expect(plain.results.every(({ rules }) => rules === undefined)).toBe(true);
  });

  test('order the pages as one list, without repeats', async () => {
    const boosts = [{ if: odd, factor: 10 }];
    const whole = await idsOf({ limit: 200, boosts });
    const paged = (await shop.pages({ user_id: 'u0', limit: 7, boosts })).flat();
    expect(paged).toEqual(whole);
    expect(new Set(paged).size).toBe(paged.length);
  });

  test('that are not valid are refused', async () => {
    for (const [fields, path] of [
      [{ boosts: [{ if: 'item.x <', factor: 2 }] }, 'boosts.0.if'],
      [{ boosts: [{ if: odd, factor: 11 }] }, 'boosts.0.factor'],
      [{ boosts: Array.from({ length: 11 }, () => ({ if: odd, factor: 2 })) }, 'boosts'],
      [{ promote: { if: odd, share: 0.6 } }, 'promote.share'],
      [{ promote: { if: 'item.', share: 0.5 } }, 'promote.if'],
      [{ pins: [{ position: 0, item_id: 'i1' }] }, 'pins.0.position'],
    ] as const)
      expect(await refuse(fields)).toMatchObject(invalid(path));
  });
});

describe('pins', () => {
  test('put items at their positions on the first page, also seen and filtered ones, and never twice', async () => {
    const plain = await idsOf({ limit: 200 });
    const seen = Array.from({ length: 40 }, (_, item) => `i${item}`).find((id) => !plain.includes(id)) ?? '';
    const pins = [
      { position: 2, item_id: seen },
      { position: 4, item_id: plain[0] ?? '' },
      { position: 5, item_id: 'without-a-record' },
    ];
    const page = await ask({ limit: 6, pins, explain: true, filter_query: `item.item_id != "${seen}"` });
    const ids = idsIn(page);
    expect(ids).toEqual([plain[1], seen, plain[2], plain[0], plain[3], plain[4]]);
    expect(page.results[1]?.rules).toEqual([{ rule: 'pin', position: 2 }]);
    const next = await idsOf({
      limit: 200,
      pins,
      cursor: page.cursor,
      filter_query: `item.item_id != "${seen}"`,
    });
    expect(next).toEqual(plain.slice(5));
    const excluded = await idsOf({ limit: 6, pins, exclude_item_ids: [seen] });
    expect(excluded).not.toContain(seen);
  });

  test('beyond the end of a short list come last', async () => {
    const filter_query = 'item.item_id in ["i1", "i3"]';
    const ids = await idsOf({ limit: 10, filter_query, pins: [{ position: 9, item_id: 'i2' }] });
    expect(ids).toHaveLength(3);
    expect(ids.at(-1)).toBe('i2');
  });
});

describe('promote', () => {
  test('gives its share of every page to the best matching items, in order', async () => {
    const matching = (await idsOf({ limit: 200 })).filter(isOdd);
    const promote = { if: odd, share: 0.5 };
    const page = await ask({ limit: 8, promote, explain: true });
    const promoted = page.results.filter(({ item }) => isOdd(item.item_id));
    expect(promoted.map(({ item }) => item.item_id)).toEqual(matching.slice(0, promoted.length));
    expect(promoted.length).toBeGreaterThanOrEqual(4);
    expect(promoted.flatMap(({ rules }) => rules ?? [])).toContainEqual({ rule: 'promote', if: odd });
    const next = await ask({ limit: 8, promote, cursor: page.cursor });
    expect(next.results.filter(({ item }) => isOdd(item.item_id)).length).toBeGreaterThanOrEqual(4);
    expect(new Set([...idsIn(page), ...idsIn(next)]).size).toBe(16);
  });

  test('changes nothing if nothing matches', async () => {
    const promote = { if: 'item.parity == "2"', share: 0.5 };
    expect(await idsOf({ limit: 10, promote })).toEqual(await idsOf({ limit: 10 }));
  });
});

describe('diversity', () => {
  test('by value is kept on every page, and items left out come on later ones', async () => {
    const diversity = { attribute: 'parity', max_per_value: 2 };
    const whole = await idsOf({ limit: 200 });
    const pages = await shop.pages({ user_id: 'u0', limit: 4, diversity, explain: true });
    for (const ids of pages) {
      expect(ids.filter(isOdd).length).toBeLessThanOrEqual(2);
      expect(ids.length - ids.filter(isOdd).length).toBeLessThanOrEqual(2);
    }
    expect(pages.flat().toSorted()).toEqual(whole.toSorted());
    const short = await ask({ limit: 10, diversity });
    expect(short.results).toHaveLength(4);
    expect(short.shortfall).not.toBeNull();
  });

  test('by level moves items up, and says which', async () => {
    const plain = await idsOf({ limit: 10 });
    expect(await idsOf({ limit: 10, diversity: { level: 'NONE' } })).toEqual(plain);
    const varied = await ask({ limit: 10, diversity: { level: 'HIGH' }, explain: true });
    const ids = idsIn(varied);
    expect(ids[0]).toBe(plain[0]);
    expect(ids).not.toEqual(plain);
    expect(varied.results.some(({ rules }) => rules?.[0]?.rule === 'diversity')).toBe(true);
  });

  test('needs both attribute and max_per_value, or neither', async () => {
    for (const [diversity, path] of [
      [{ attribute: 'parity' }, 'diversity.max_per_value'],
      [{ max_per_value: 2 }, 'diversity.attribute'],
    ] as const)
      expect(await refuse({ diversity })).toMatchObject(invalid(path));
  });
});
