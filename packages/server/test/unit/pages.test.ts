import { describe, expect, test } from 'vitest';
import { listPage } from '../../src/domain/pages.ts';

/** Keys 1 to 10, as a table would list them: newest first, those before a key. */
const list = async (before: number, limit: number) =>
  Array.from({ length: 10 }, (_, n) => ({ key: 10 - n }))
    .filter(({ key }) => key < before)
    .slice(0, limit);

const page = (page_size?: number, page_token?: string) =>
  listPage(
    {
      ...(page_size === undefined ? {} : { page_size }),
      ...(page_token === undefined ? {} : { page_token }),
    },
    ({ key }) => key,
    ({ key }) => key,
    list,
  );

describe('listPage', () => {
  test('answers a token as long as there is more, and null at the end', async () => {
    const first = await page(4);
    expect(first.items).toEqual([10, 9, 8, 7]);
    const second = await page(4, first.next_page_token ?? '');
    expect(second.items).toEqual([6, 5, 4, 3]);
    const third = await page(4, second.next_page_token ?? '');
    expect(third).toEqual({ items: [2, 1], next_page_token: null });
  });

  test('has no empty last page', async () => {
    const first = await page(5);
    expect(await page(5, first.next_page_token ?? '')).toEqual({
      items: [5, 4, 3, 2, 1],
      next_page_token: null,
    });
    expect((await page(10)).next_page_token).toBeNull();
    expect((await page()).items).toHaveLength(10);
  });

  test.each([
    '',
    ' ',
    '0',
    'MTA=',
    'MTA ',
    '!!!!',
    'LTE',
    'MS41',
    'MWUx',
    'MDE',
    'IDEg',
    'MHgxMA',
    'OTk5OTk5OTk5OTk5',
    'TmFO',
  ])('refuses the token "%s", which it never gave', async (token) => {
    await expect(page(5, token)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ path: 'page_token' }],
    });
  });
});
