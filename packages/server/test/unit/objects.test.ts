import { describe, expect, test } from 'vitest';
import { Blocks } from '../../src/storage/objects/blocks.ts';
import { signDownload, verifyDownload } from '../../src/storage/objects/download.ts';

describe('a signed download', () => {
  const secret = 'the right secret';
  const now = new Date('2026-01-01T00:00:00.500Z');
  const download = { seconds: 60, fileName: 'a.csv', contentType: 'text/csv' };
  const parts = signDownload('results/a.csv', download, secret, now);
  const later = (ms: number) => new Date(now.getTime() + ms);

  test('is verified by the same secret until its time is over', () => {
    const verified = {
      key: 'results/a.csv',
      contentType: 'text/csv',
      contentDisposition: `attachment; filename="a.csv"; filename*=UTF-8''a.csv`,
    };
    expect(verifyDownload(parts, secret, now)).toEqual(verified);
    expect(verifyDownload(parts, secret, later(59_499))).toEqual(verified);
    expect(verifyDownload(parts, secret, later(59_500))).toBeUndefined();
    expect(verifyDownload(parts, 'another secret', now)).toBeUndefined();
  });

  test('is refused with any part changed, moved to its neighbour, or missing', () => {
    for (const name of ['key', 'expires', 'name', 'type', 'signature'] as const) {
      for (const value of ['', `${parts[name]}0`, `0${parts[name]}`, parts[name].slice(1)]) {
        expect(verifyDownload({ ...parts, [name]: value }, secret, now)).toBeUndefined();
      }
    }
    const shifted = { ...parts, name: `${parts.name}t`, type: parts.type.slice(1) };
    expect(verifyDownload(shifted, secret, now)).toBeUndefined();
  });

  test('of what is no key is refused, whoever signed it', () => {
    expect(verifyDownload(signDownload('../etc/passwd', download, secret, now), secret, now)).toBeUndefined();
  });
});

describe('blocks', () => {
  const cut = async (chunks: readonly string[], size: number) => {
    const blocks = new Blocks(
      chunks.map((chunk) => Buffer.from(chunk)),
      size,
      {},
    );
    const found: string[] = [];
    for await (const block of blocks) found.push(block.toString());
    return { found, size: blocks.finish().size };
  };

  test('are of one size, the last one smaller, whatever the chunks', async () => {
    expect(await cut([], 3)).toEqual({ found: [], size: 0 });
    expect(await cut(['', ''], 3)).toEqual({ found: [], size: 0 });
    expect(await cut(['a', 'b', 'c'], 3)).toEqual({ found: ['abc'], size: 3 });
    expect(await cut(['abcdefgh'], 3)).toEqual({ found: ['abc', 'def', 'gh'], size: 8 });
    expect(await cut(['a', 'bcdef', '', 'g'], 3)).toEqual({ found: ['abc', 'def', 'g'], size: 7 });
  });
});
