import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { InteractionsBuilder } from '@tastegraph/algorithms';

/** The licenses of the data sets do not allow us to distribute them, so they are not in the repository. */
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

/** The folders of data sets whose folder has another name. */
const folders: Record<string, string | readonly string[]> = {
  movietweetings: 'movietweetings-100k',
  yoochoose: 'yoochoose-100k',
  repeats: 'yoochoose-100k',
  taobao: 'taobao-buycart',
  'new-users': ['movietweetings-100k', 'ml-100k'],
  's3rec-beauty': 's3rec',
  fresh: ['yelp2018', 'amazon-cds', 'ml-1m-lcfn'],
};

/** Throws if data sets are missing, with a message that says where to get them. */
export function requireData(names: readonly string[]): void {
  const missing = names
    .flatMap((name) => folders[name] ?? name)
    .filter((name) => !existsSync(`${folder}/${name}`));
  if (missing.length === 0) return;
  throw new Error(
    `Data sets are missing in ${folder} (to use another folder, set TASTEGRAPH_DATA). Their licenses do not allow us to ` +
      `distribute them. Download them, compress each file with gzip and put it into the folder of its data set:\n` +
      missing.map((name) => `  ${name}/  ${sources[name] ?? ''}`).join('\n'),
  );
}

export const readLines = (path: string) =>
  linesOf(gunzipSync(readFileSync(`${folder}/${path}.gz`)).toString('utf8'));

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Reads lines of integers: `user item item …`. */
export const readLists = (path: string) => parseLists(readLines(path));

/** The same from a file of any folder that is not compressed. */
export const readPlainLists = (path: string) => parseLists(linesOf(readFileSync(path, 'utf8')));

function parseLists(lines: readonly string[]): Map<number, number[]> {
  return new Map(
    lines.map((line) => {
      const [user = 0, ...items] = line.split(/\s+/).map(Number);
      return [user, items];
    }),
  );
}

/** Appends a value to the list of a key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Numbers IDs in the order of their first occurrence. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  of(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get size(): number {
    return this.#numbers.size;
  }
}

/** Histories of target events, oldest first. `ordered` says whether the algorithm may use the order. */
export function fromLists(lists: ReadonlyMap<number, readonly number[]>, ordered: boolean, items = 0) {
  const builder = new InteractionsBuilder();
  for (const [user, history] of lists)
    for (const [place, item] of history.entries()) builder.push(user, item, 0, 1, place);
  return builder.build({ ordered, items });
}

/** Attribute values by row, in the format of the algorithms. */
export function incidence(rows: readonly (readonly number[])[], columns: number) {
  const offsets = new Uint32Array(rows.length + 1);
  for (const [row, values] of rows.entries()) offsets[row + 1] = offsets[row]! + values.length;
  return { rows: rows.length, columns, offsets, column: Uint32Array.from(rows.flat()) };
}

export const largest = (lists: Iterable<readonly number[]>) => {
  let max = -1;
  for (const list of lists) for (const item of list) if (item > max) max = item;
  return max;
};
