import { readFileSync } from 'node:fs';

/** Stands in for your database: books, and how many copies are left, in memory. */
export interface Book {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly genres: readonly string[];
  readonly year: number;
  readonly price: number;
}

const copiesAtStart = 3;

const books = new Map(
  readFileSync(process.env.CATALOG ?? '../../.dev/example/items.ndjson', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { item_id: string; attributes: Omit<Book, 'id'> })
    .map(({ item_id: id, attributes }) => [id, { id, ...attributes }]),
);
export const bookIds = [...books.keys()];
const stock = new Map(bookIds.map((id) => [id, copiesAtStart]));

export const genres = [...new Set([...books.values()].flatMap((book) => book.genres))].toSorted();

export const findBook = (id: string): Book | undefined => books.get(id);
export const findBooks = (ids: readonly string[]): Book[] => ids.flatMap((id) => books.get(id) ?? []);
export const stockOf = (id: string): number => stock.get(id) ?? 0;
export const listGenre = (genre: string): Book[] =>
  [...books.values()].filter((book) => book.genres.includes(genre));
/** What to show without recommendations. */
export const newestBooks = (count: number, among: readonly Book[] = [...books.values()]): Book[] =>
  among
    .filter(({ id }) => stockOf(id) > 0)
    .toSorted((a, b) => b.year - a.year)
    .slice(0, count);

/** Takes one copy of each book that is left, and returns those books. */
export function takeCopies(ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const left = stockOf(id);
    if (left > 0) stock.set(id, left - 1);
    return left > 0;
  });
}
