import type { Chance } from './chance.ts';
import { type Genre, genreMakings, genres } from './genres.ts';

export interface Book {
  readonly item_id: string;
  readonly attributes: {
    readonly title: string;
    readonly author: string;
    readonly genres: Genre[];
    readonly year: number;
    readonly price: number;
  };
}

const firstNames =
  'Ada Bruno Celia Dario Edith Felix Greta Hugo Ines Jonas Karin Leo Mina Nils Olga Pavel Rosa Samir Tilda Viktor'.split(
    ' ',
  );
const lastNames =
  'Aldane Birkhoff Castell Dorrance Ekström Farrow Galante Hollis Ivers Jansky Kestrel Lindqvist Marlowe Novak Oakes Petrov Quillon Rasmus Solberg Thorne Ulvang Varga Wexford Yardley Zeller'.split(
    ' ',
  );

const oldest = 1995;
export const newest = 2025;

/**
 * Books by authors who write two to five each, most of them in one genre: so that readers follow authors and not
 * genres alone. Titles are made of words and are nobody's; the same seed makes the same shop.
 */
export function makeCatalogue(chance: Chance, size: number): Book[] {
  const books: Book[] = [];
  const titles = new Set<string>();
  const authors = new Set<string>();
  // By turns, so that every genre has its share.
  for (const genre of endlessly(genres)) {
    if (books.length >= size) break;
    const author = makeNew(authors, () => `${chance.oneOf(firstNames)} ${chance.oneOf(lastNames)}`);
    const secondGenre = chance.happens(0.3) ? chance.oneOf(genres) : genre;
    const count = Math.min(chance.whole(2, 5), size - books.length);
    for (let book = 0; book < count; book++) {
      const title = makeNew(titles, () => makeTitle(chance, genre));
      // What sets apart a title is all that an id needs.
      const item_id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      const inBoth = secondGenre !== genre && chance.happens(0.6);
      const year = Math.max(oldest, newest - Math.floor(chance.between(0, 5.5) ** 2));
      const price = Math.round(genreMakings[genre].price * chance.between(0.7, 1.4)) - 0.01;
      const attributes = { title, author, genres: inBoth ? [genre, secondGenre] : [genre], year, price };
      books.push({ item_id, attributes });
    }
  }
  return books;
}

function* endlessly<T>(elements: readonly T[]): Generator<T, never, undefined> {
  for (;;) yield* elements;
}

function makeTitle(chance: Chance, genre: Genre): string {
  const { titles, a, b } = genreMakings[genre];
  const title = chance
    .oneOf<string>(titles)
    .replace('{a}', chance.oneOf<string>(a))
    .replace('{b}', chance.oneOf<string>(b))
    .replace(/\b([Aa]) (?=[AEIOU])/, '$1n ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function makeNew(taken: Set<string>, make: () => string): string {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const made = make();
    if (taken.has(made)) continue;
    taken.add(made);
    return made;
  }
  throw new Error('The words are used up: make a smaller shop.');
}
