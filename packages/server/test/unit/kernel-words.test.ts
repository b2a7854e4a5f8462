import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const kernel = new URL('../../src/kernel/', import.meta.url);

/**
 * What the contract is about, in the singular. A job, an event, a batch, a schedule and a user also mean something to a queue, to
 * Node and to an operating system.
 */
const concepts = new Set(
  (
    'account algorithm attribution clustering dataset decision deployment erasure experiment exposure item model outcome people person ' +
    'placement project querying ranker recommend recommendation recommending scenario segment training webhook'
  ).split(' '),
);

/** By file, and why they may stay. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // A link to a page of docs/decisions.
  'objects/s3/upload.ts': ['decision'],
};

/** Words in identifiers, strings and comments: `item_id`, `newItems` and ITEMS all have an item. */
function conceptsIn(text: string): string[] {
  const words = text
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z]+/);
  const singular = words.map((word) => (concepts.has(word) ? word : word.replace(/s$/, '')));
  return [...new Set(singular.filter((word) => concepts.has(word)))].toSorted();
}

test('the kernel knows no word of the product', () => {
  const found: Record<string, readonly string[]> = {};
  const files = globSync('**/*.ts', { cwd: kernel });
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const words = conceptsIn(`${file} ${readFileSync(new URL(file, kernel), 'utf8')}`);
    if (words.length > 0) found[file] = words;
  }
  expect(found).toEqual(exceptions);
});

test.each([
  ['const newItems = 1', ['item']],
  ['SELECT FROM accounts', ['account']],
  ["'TRAINING'", ['training']],
  ['// Recommendations wait.', ['recommendation']],
  ['project_id', ['project']],
  ['a remodelled itemized list', []],
])('%s has %j', (text, words) => {
  expect(conceptsIn(text)).toEqual(words);
});
