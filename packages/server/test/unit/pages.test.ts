import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { PageTokens } from '../../src/http/page-tokens.ts';
import { listPage } from '../../src/http/pages.ts';
import type { PageBounds } from '../../src/kernel/postgres/sql-fragments.ts';

const pageTokens = new PageTokens(Buffer.alloc(32, 7));

/** Lists keys 1 to `count` like a table: newest first, before a key, up to a number of bytes. */
const table =
  (count: number, rowBytes = 100) =>
  async ({ beforeKey, limit, bytes }: PageBounds) =>
    Array.from({ length: count }, (_, n) => count - n)
      .filter((key) => key < beforeKey)
      .slice(0, Math.min(limit, Math.ceil(bytes / rowBytes)))
      .map((key, place) => ({ key, page_bytes: (place + 1) * rowBytes }));

const page = (
  request: { page_size?: number; page_token?: string },
  { rows = table(10), accountId = 'acc_1', name = 'things' } = {},
) =>
  listPage({ accountId, pageTokens }, request, {
    name,
    keyOf: ({ key }) => key,
    present: ({ key }) => key,
    rows,
  });

describe('listPage', () => {
  test('returns a token as long as there is more, and null at the end', async () => {
    const first = await page({ page_size: 4 });
    expect(first.items).toEqual([10, 9, 8, 7]);
    const second = await page({ page_size: 4, page_token: first.next_page_token ?? '' });
    expect(second.items).toEqual([6, 5, 4, 3]);
    const third = await page({ page_size: 4, page_token: second.next_page_token ?? '' });
    expect(third).toEqual({ items: [2, 1], next_page_token: null, message: null });
  });

  test('never returns an empty last page', async () => {
    const first = await page({ page_size: 5 });
    expect(first.message).toBeNull();
    expect(await page({ page_size: 5, page_token: first.next_page_token ?? '' })).toEqual({
      items: [5, 4, 3, 2, 1],
      next_page_token: null,
      message: null,
    });
    expect((await page({ page_size: 10 })).next_page_token).toBeNull();
  });

  test('returns everything without page_size, up to the maximum, and then a message', async () => {
    const all = await page({}, { rows: table(limits.listEntriesMax) });
    expect(all.items).toHaveLength(limits.listEntriesMax);
    expect(all).toMatchObject({ next_page_token: null, message: null });
    const more = await page({}, { rows: table(limits.listEntriesMax + 1) });
    expect(more.items).toHaveLength(limits.listEntriesMax);
    expect(more.message).toEqual(expect.any(String));
    const rest = await page(
      { page_token: more.next_page_token ?? '' },
      { rows: table(limits.listEntriesMax + 1) },
    );
    expect(rest).toEqual({ items: [1], next_page_token: null, message: null });
  });

  test('ends a page at the maximum bytes, with a message, and loses no entry', async () => {
    const rows = table(20, limits.listBytes / 4);
    const seen: number[] = [];
    let page_token: string | undefined;
    do {
      const found = await page(page_token === undefined ? {} : { page_token }, { rows });
      expect(found.items).toHaveLength(4);
      expect(found.message === null).toBe(found.next_page_token === null);
      seen.push(...found.items);
      page_token = found.next_page_token ?? undefined;
    } while (page_token !== undefined);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n));
  });

  test.each(['', ' ', '0', 'MTA=', 'MTA', '!!!!', 'x'.repeat(43)])(
    'refuses the token "%s", which it never issued',
    async (page_token) => {
      await expect(page({ page_token })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        errors: [{ path: 'page_token' }],
      });
    },
  );

  test('accepts a token only for the list and account it was issued for, and only unchanged', async () => {
    const page_token = (await page({ page_size: 4 })).next_page_token ?? '';
    expect(page_token).not.toBe((await page({ page_size: 4 })).next_page_token);
    const refused = { code: 'INVALID_REQUEST' };
    await expect(page({ page_token }, { accountId: 'acc_2' })).rejects.toMatchObject(refused);
    await expect(page({ page_token }, { name: 'others' })).rejects.toMatchObject(refused);
    const other = page_token.at(-1) === 'A' ? 'B' : 'A';
    await expect(page({ page_token: page_token.slice(0, -1) + other })).rejects.toMatchObject(refused);
    await expect(page({ page_token: `${page_token}=` })).rejects.toMatchObject(refused);
  });
});
