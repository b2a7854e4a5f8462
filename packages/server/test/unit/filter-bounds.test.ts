import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { bounds } from '../../src/filters/bounds.ts';
import { compileFilter } from '../../src/filters/compile-filter.ts';
import { estimatePatternSize } from '../../src/filters/pattern.ts';

const long = Array.from({ length: 10_000 }, (_, place) => place);

describe('the limits of a filter', () => {
  test('allow everything that people write', () => {
    const ids = Array.from({ length: 500 }, (_, place) => place).join(', ');
    expect(compileFilter(`item.id in [${ids}]`).matches({ id: 499 })).toBe(true);
    const alternatives = Array.from({ length: 180 }, (_, place) => `item.color == ${place}`).join(' || ');
    expect(compileFilter(alternatives).matches({ color: 179 })).toBe(true);
    expect(compileFilter('item.long.all(x, x >= 0 && x < 10000)').matches({ long })).toBe(true);
    const patterns = compileFilter('item.text.matches("[a-z]{1,50}@[a-z]{1,50}[.]com$")');
    expect(patterns.matches({ text: `${'a '.repeat(1000)}me@example.com` })).toBe(true);
  });

  test.each([
    ['more characters than the contract says', `"${'a'.repeat(4096)}" == item.a`, 'longer than 4096'],
    ['megabytes', 'a'.repeat(10_000_000), 'longer than 4096'],
    ['parentheses', `${'('.repeat(65)}true${')'.repeat(65)}`, 'more than 64'],
    ['negations', `${'!'.repeat(65)}true`, 'more than 64'],
    ['sums', `${'1 + '.repeat(65)}1 == 66`, 'more than 64'],
    ['many parts', `${'!'.repeat(4000)}true`, 'more than 2048 parts'],
    ['a call with many arguments', `item.a.contains(${'1,'.repeat(40)}1)`, 'arguments'],
    ['many patterns', Array(5).fill('item.a.matches("a")').join('||'), '4 patterns'],
    ['long patterns', `item.a.matches("${'a'.repeat(257)}")`, '256 characters'],
    ['repetitions', 'item.a.matches("(a{20}){20}")', '512'],
  ])('refuse more: %s', (_, text, words) => {
    expect(() => compileFilter(text)).toThrow(words);
  });

  test('count characters as the contract does', () => {
    expect(compileFilter(`"${'😀'.repeat(4080)}" != item.a`).matches({ a: 1 })).toBe(true);
  });

  test.each([
    ['loops in loops', 'item.long.exists(a, item.long.exists(b, a == b && a == 9999))'],
    ['lists looked through in loops', '!item.long.exists(a, -1 in item.long)'],
    ['texts that double', `size(["a"]${'.map(x, x + x)'.repeat(20)}[0]) > 0`],
    ['lists that double', `size([[1]]${'.map(x, x + x)'.repeat(20)}[0]) > 0`],
    [
      'lists that hold themselves twice',
      `[1]${'.map(x, [x, x])'.repeat(30)} == [1]${'.map(x, [x, x])'.repeat(30)}`,
    ],
    ['long texts looked through for long texts', '!item.wide.contains(item.needle)'],
    ['patterns with many states', 'item.wide.matches("(a?){40}a{40}")'],
  ])('end in no match when exceeded, even if another part would match: %s', (_, text) => {
    const item = { long, wide: 'a'.repeat(20_000), needle: `${'a'.repeat(2000)}b` };
    expect(compileFilter(text).matches(item)).toBe(false);
  });

  test('apply per item: an item that exceeds them does not affect the next', () => {
    const filter = compileFilter('item.long.exists(a, item.long.exists(b, a + b == -1)) || true');
    expect(filter.matches({ long })).toBe(false);
    expect(filter.matches({ long: [1] })).toBe(true);
  });

  test('never underestimate the size of a compiled pattern', () => {
    const atom = fc.constantFrom(
      'a',
      '.',
      '[a-z]',
      '[^]x]',
      String.raw`\d`,
      String.raw`\pL`,
      '^',
      '$',
      '(?i)k',
      '',
    );
    const repeat = fc.constantFrom('', '', '*', '+', '?', '{3}', '{2,}', '{0,4}', '{0}', '*?');
    const pattern = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(atom, repeat).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
        fc.tuple(tie('pattern'), repeat).map(([inner, times]) => `(${inner})${times}`),
      ),
    })).pattern;
    let compiled = 0;
    const property = fc.property(pattern, (text) => {
      const estimate = estimatePatternSize(text);
      // Patterns that do not compile do not matter.
      if (estimate > bounds.patternSize) return;
      let size: number;
      try {
        size = RE2JS.compile(text).programSize();
      } catch {
        return;
      }
      compiled++;
      expect(size).toBeLessThanOrEqual(estimate);
    });
    // Flags are no part: the repetition after them repeats the group before.
    fc.assert(property, { numRuns: 3000, examples: [['(a){0,4}(?){3}'], ['(a){0,4}(?i){3}']] });
    expect(compiled).toBeGreaterThan(1000);
  });
});
