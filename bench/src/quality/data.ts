import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { InteractionsBuilder } from '@tastegraph/algorithms';

/** The data sets are under their publishers' terms and no part of the repository. */
const folder =
  process.env['TASTEGRAPH_DATA'] ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url));

const sources: Record<string, string> = {
  gowalla: 'train.txt and test.txt of github.com/gusye1234/LightGCN-PyTorch',
  yelp2018: 'train.txt and test.txt of github.com/gusye1234/LightGCN-PyTorch',
  'amazon-cds': 'train.txt and test.txt: Amazon CDs as UltraGCN and SimpleX report on, in their repositories',
  'ml-1m-lcfn':
    'train.txt and test.txt: the split of LCFN that UltraGCN and SimpleX report on, in their repositories',
  'ml-1m':
    'grouplens.org/datasets/movielens/1m; ratings as ratings_ordered.csv: userId,movieId,rating,orderInUser',
  'ml-100k': 'grouplens.org/datasets/movielens/100k',
  'movietweetings-100k': 'github.com/sidooms/MovieTweetings, snapshots/100K',
  'yoochoose-100k': 'RecSys Challenge 2015, the latest 100,000 clicks, as preprocessed for GRU4Rec',
  'taobao-buycart': 'Taobao user behaviour, as lists: train.txt and test.txt of purchases, cart.txt',
  s3rec: 'Beauty.txt and Beauty_item2attributes.json of github.com/RUCAIBox/CIKM2020-S3Rec',
};

/** Which folder a data set of the bench is read from, where it is not called the same. */
const folders: Record<string, string> = {
  movietweetings: 'movietweetings-100k',
  yoochoose: 'yoochoose-100k',
  taobao: 'taobao-buycart',
  's3rec-beauty': 's3rec',
};

/** Throws, and says where to get them, if some are not there. */
export function requireData(names: readonly string[]): void {
  const missing = names
    .map((name) => folders[name] ?? name)
    .filter((name) => !existsSync(`${folder}/${name}`));
  if (missing.length === 0) return;
  throw new Error(
    `Data sets are missing in ${folder} (TASTEGRAPH_DATA names another folder). They are not ours to ship; each file ` +
      `goes, compressed by gzip, into a folder of its own:\n` +
      missing.map((name) => `  ${name}/  ${sources[name] ?? ''}`).join('\n'),
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
