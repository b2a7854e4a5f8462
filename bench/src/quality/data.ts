import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { InteractionsBuilder } from '@tastegraph/algorithms';

/** The data sets are under their publishers' terms and no part of the repository. */
const folder =
  process.env['TASTEGRAPH_DATA'] ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url));

export function requireData(): void {
  if (existsSync(folder)) return;
  throw new Error(
    `There are no data sets in ${folder}. Set TASTEGRAPH_DATA to a folder with gowalla, yelp2018, amazon-cds and ` +
      'ml-1m-lcfn (train.txt.gz and test.txt.gz of the LightGCN, UltraGCN and LCFN repositories), ml-1m and ml-100k ' +
      '(grouplens.org), movietweetings-100k, yoochoose-100k, taobao-buycart and s3rec.',
  );
}

export function readLines(path: string): string[] {
  return gunzipSync(readFileSync(`${folder}/${path}.gz`))
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `user item item …`, integers. */
export function readLists(path: string): Map<number, number[]> {
  return new Map(
    readLines(path).map((line) => {
      const [user = 0, ...items] = line.split(/\s+/).map(Number);
      return [user, items];
    }),
  );
}

/** Adds to the list of a key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Numbers for whatever ids come, in the order in which they come. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  of(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  find(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  get size(): number {
    return this.#numbers.size;
  }
}

/** Histories of target events in their order. `ordered` says whether the order may be used. */
export function fromLists(lists: ReadonlyMap<number, readonly number[]>, ordered: boolean, items = 0) {
  const builder = new InteractionsBuilder();
  for (const [user, history] of lists)
    for (const [place, item] of history.entries()) builder.push(user, item, 0, 1, place);
  return builder.build({ ordered, items });
}

/** A list of values for each row, as the algorithms take attributes. */
export function incidence(rows: readonly (readonly number[])[], columns: number) {
  const offsets = new Uint32Array(rows.length + 1);
  for (const [row, values] of rows.entries()) offsets[row + 1] = offsets[row]! + values.length;
  return { rows: rows.length, columns, offsets, column: Uint32Array.from(rows.flat()) };
}

export const largest = (lists: Iterable<readonly number[]>) => {
  let most = -1;
  for (const list of lists) for (const item of list) if (item > most) most = item;
  return most;
};
