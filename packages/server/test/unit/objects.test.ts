import { describe, expect, test } from 'vitest';
import { Blocks } from '../../src/kernel/objects/blocks.ts';

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

  test('have one size, except the last, whatever the chunks', async () => {
    expect(await cut([], 3)).toEqual({ found: [], size: 0 });
    expect(await cut(['', ''], 3)).toEqual({ found: [], size: 0 });
    expect(await cut(['a', 'b', 'c'], 3)).toEqual({ found: ['abc'], size: 3 });
    expect(await cut(['abcdefgh'], 3)).toEqual({ found: ['abc', 'def', 'gh'], size: 8 });
    expect(await cut(['a', 'bcdef', '', 'g'], 3)).toEqual({ found: ['abc', 'def', 'g'], size: 7 });
  });
});
