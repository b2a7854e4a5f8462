import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { text } from './objects-bytes.ts';
import type { Subject } from './objects-subjects.ts';

/** Signed addresses, asked for by fetch, as a browser would. */
export function describeDownloads(current: () => Subject): void {
  const download = { seconds: 60, fileName: 'Käse "50 %".csv', contentType: 'text/csv; charset=utf-8' };
  const isRefused = async (url: URL | string) => {
    const answer = await fetch(url);
    const body = await answer.text();
    return answer.status >= 400 && answer.status < 500 && !body.includes('the content');
  };

  describe('a download', () => {
    test('gives the content, its name and its type', async () => {
      const { store } = current();
      await store.put('downloads/a.csv', text('the content'));
      const answer = await fetch(await store.presign('downloads/a.csv', download));
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe('the content');
      expect(answer.headers.get('content-type')?.toLowerCase()).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="K_se _50 __.csv"; filename*=UTF-8''K%C3%A4se%20%2250%20%25%22.csv`,
      );
    });

    test('is refused for another key, and with anything changed', async () => {
      const { store } = current();
      await store.put('downloads/a.csv', text('the content'));
      await store.put('downloads/b.csv', text('the content'));
      const signed = new URL(await store.presign('downloads/a.csv', download));
      expect(await isRefused(signed)).toBe(false);
      const other = new URL(signed);
      other.pathname = other.pathname.replace('a.csv', 'b.csv');
      expect(await isRefused(other)).toBe(true);
      for (const [name, value] of signed.searchParams) {
        const changed = new URL(signed);
        // A digit or a letter that is another one: what is a number stays one.
        changed.searchParams.set(
          name,
          value.replace(/[0-9a-z]/i, (c) => (c === '7' ? '8' : '7')),
        );
        expect(await isRefused(changed), `${name} changed`).toBe(true);
        changed.searchParams.delete(name);
        expect(await isRefused(changed), `${name} removed`).toBe(true);
      }
    });

    test('is refused when its time is over', async () => {
      const { store } = current();
      await store.put('downloads/a.csv', text('the content'));
      const url = await store.presign('downloads/a.csv', { ...download, seconds: 1 });
      await sleep(2_100);
      expect(await isRefused(url)).toBe(true);
    });

    test('of an absent object is not there', async () => {
      const answer = await fetch(await current().store.presign('downloads/none.csv', download));
      expect(answer.status).toBe(404);
      await answer.body?.cancel();
    });

    test.each([
      { fileName: '' },
      { fileName: 'a/b' },
      { fileName: 'a\r\nset-cookie: b' },
      { fileName: '\ud800' },
      { contentType: 'text/html\r\nset-cookie: b' },
      { contentType: '' },
      { seconds: 0 },
      { seconds: 1.5 },
      { seconds: 604_801 },
    ])('with %j is refused', async (bad) => {
      const signing = current().store.presign('downloads/a.csv', { ...download, ...bad });
      await expect(signing).rejects.toMatchObject({ kind: 'refused' });
    });
  });
}
