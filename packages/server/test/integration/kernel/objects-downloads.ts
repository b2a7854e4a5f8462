import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { text } from './objects-bytes.ts';
import type { PresigningSubject } from './objects-subjects.ts';

/** What a store with presigned URLs must do. URLs are fetched as a browser would. */
export function describeDownloads(current: () => PresigningSubject): void {
  const download = { seconds: 60, fileName: 'Käse "50 %".csv', contentType: 'text/csv; charset=utf-8' };
  const isRefused = async (url: URL | string) => {
    const answer = await fetch(url);
    const body = await answer.text();
    return answer.status >= 400 && answer.status < 500 && !body.includes('the content');
  };

  describe('a download', () => {
    test('returns the content, its name and its type', async () => {
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

    test('signed for HEAD returns only the headers, with name and type', async () => {
      const { store } = current();
      await store.put('downloads/a.csv', text('the content'));
      const url = await store.presign('downloads/a.csv', { ...download, method: 'HEAD' });
      const answer = await fetch(url, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '11']);
      expect(answer.headers.get('content-type')?.toLowerCase()).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toContain('K_se');
      expect(await isRefused(url)).toBe(true);
    });

    test('is refused for another key, or if any part of the URL is changed', async () => {
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
        // Replaces one digit or letter with another, so that numbers stay numbers.
        changed.searchParams.set(
          name,
          value.replace(/[0-9a-z]/i, (c) => (c === '7' ? '8' : '7')),
        );
        expect(await isRefused(changed), `${name} changed`).toBe(true);
        changed.searchParams.delete(name);
        expect(await isRefused(changed), `${name} removed`).toBe(true);
      }
    });

    test('is refused after it expires', async () => {
      const { store } = current();
      await store.put('downloads/a.csv', text('the content'));
      const url = await store.presign('downloads/a.csv', { ...download, seconds: 1 });
      await sleep(2_100);
      expect(await isRefused(url)).toBe(true);
    });

    test('of an absent object returns 404', async () => {
      const answer = await fetch(await current().store.presign('downloads/none.csv', download));
      expect(answer.status).toBe(404);
      await answer.body?.cancel();
    });

    test.each(['', '../a.b', 'a b.c', '.drafts/a.b'])('of the key %j is refused', async (key) => {
      const signing = current().store.presign(key, download);
      await expect(signing).rejects.toMatchObject({ kind: 'refused' });
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
