import { describe, expect, test } from 'vitest';
import { generateShop } from '../src/demo/shop/generate-shop.ts';

const shop = generateShop();
const genreOf = new Map(shop.books.map(({ item_id, attributes }) => [item_id, attributes.genres[0]]));

describe('the sample bookshop', () => {
  test('is always the same, to the byte', () => {
    expect(JSON.stringify(generateShop())).toBe(JSON.stringify(shop));
  });

  test('can end at another time: its newest event is of the 24 hours before, and the times between events stay', () => {
    const endsBefore = Date.UTC(2031, 4, 6, 7, 8);
    const moved = generateShop(endsBefore).events;
    const newest = moved.reduce((max, { ts }) => Math.max(max, ts), 0);
    expect(newest).toBeLessThanOrEqual(endsBefore);
    expect(newest).toBeGreaterThan(endsBefore - 24 * 3600_000);
    const shifts = new Set(moved.map(({ ts }, index) => ts - (shop.events[index]?.ts ?? 0)));
    expect([...shifts]).toEqual([expect.any(Number)]);
  });

  test('has unique IDs and titles, and events only of existing readers and books', () => {
    const { readers, books, events } = shop;
    expect(new Set(readers.map(({ user_id }) => user_id)).size).toBe(readers.length);
    expect(new Set(books.map(({ item_id }) => item_id)).size).toBe(books.length);
    expect(new Set(books.map(({ attributes }) => attributes.title)).size).toBe(books.length);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    const known = new Set(readers.map(({ user_id }) => user_id));
    expect(events.filter(({ user_id, item_id }) => !known.has(user_id) || !genreOf.has(item_id))).toEqual([]);
    expect(events.length).toBeGreaterThan(30_000);
  });

  test('has readers who mostly follow their tastes', () => {
    for (const { user_id, tastes, laterTaste } of shop.readers.slice(0, 3)) {
      expect(laterTaste).toBeUndefined();
      const own = shop.events.filter((event) => event.user_id === user_id);
      const fitting = own.filter(({ item_id }) => tastes.some((taste) => taste === genreOf.get(item_id)));
      expect(fitting.length / own.length).toBeGreaterThan(0.7);
    }
    const exploring = shop.events.filter(({ user_id, item_id }) => {
      const reader = shop.readers.find((each) => each.user_id === user_id);
      const genre = genreOf.get(item_id);
      return genre !== reader?.laterTaste && !reader?.tastes.some((taste) => taste === genre);
    });
    expect(exploring.length / shop.events.length).toBeGreaterThan(0.02);
  });

  test('has seasons, such as gardening in spring and cooking before Christmas', () => {
    const inMonth = (genre: string, month: number) =>
      shop.events.filter(
        ({ ts, item_id }) => genreOf.get(item_id) === genre && new Date(ts).getUTCMonth() === month,
      ).length / shop.events.filter(({ ts }) => new Date(ts).getUTCMonth() === month).length;
    expect(inMonth('Gardening', 3)).toBeGreaterThan(1.3 * inMonth('Gardening', 10));
    expect(inMonth('Cooking', 11)).toBeGreaterThan(1.3 * inMonth('Cooking', 5));
  });
});
