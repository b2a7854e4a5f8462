import { type Genre, genreProfiles, genres } from './genres.ts';
import type { Random } from './random.ts';

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

const oldestYear = 1995;
export const newestYear = 2025;

/** Authors have two to five books, mostly of one genre, so that readers follow authors and not only genres. */
export function generateCatalogue(random: Random, size: number): Book[] {
  const books: Book[] = [];
  const titles = new Set<string>();
  const authors = new Set<string>();
  // Round robin, so that every genre gets its share.
  for (const genre of cycle(genres)) {
    if (books.length >= size) break;
    const author = generateUnique(authors, () => `${random.oneOf(firstNames)} ${random.oneOf(lastNames)}`);
    const secondGenre = random.chance(0.3) ? random.oneOf(genres) : genre;
    const count = Math.min(random.integer(2, 5), size - books.length);
    for (let book = 0; book < count; book++) {
      const title = generateUnique(titles, () => generateTitle(random, genre));
      // Titles are unique, so the ID can be derived from the title.
      const item_id = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      const inBoth = secondGenre !== genre && random.chance(0.6);
      const year = Math.max(oldestYear, newestYear - Math.floor(random.between(0, 5.5) ** 2));
      const price = Math.round(genreProfiles[genre].price * random.between(0.7, 1.4)) - 0.01;
      const attributes = { title, author, genres: inBoth ? [genre, secondGenre] : [genre], year, price };
      books.push({ item_id, attributes });
    }
  }
  return books;
}

function* cycle<T>(elements: readonly T[]): Generator<T, never, undefined> {
  for (;;) yield* elements;
}

function generateTitle(random: Random, genre: Genre): string {
  const { titles, a, b } = genreProfiles[genre];
  const title = random
    .oneOf<string>(titles)
    .replace('{a}', random.oneOf<string>(a))
    .replace('{b}', random.oneOf<string>(b))
    .replace(/\b([Aa]) (?=[AEIOU])/, '$1n ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function generateUnique(taken: Set<string>, generate: () => string): string {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const candidate = generate();
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
  throw new Error('No unused titles are left. Generate a smaller shop.');
}
