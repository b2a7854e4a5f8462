import { InteractionsBuilder, seededRandom } from '../src/index.ts';

/** Genres of the bookshop; the first is what most people buy. */
export const genres = [
  'crime',
  'cooking',
  'travel',
  'poetry',
  'history',
  'science',
  'garden',
  'art',
] as const;
const booksPerGenre = 50;

export interface ShopEvent {
  readonly user: number;
  readonly item: number;
  readonly type: 'buy' | 'view';
}

export const genreOf = (item: number) => genres[item % genres.length]!;
/** The books of a genre at these places, the best-known first. */
export const booksOf = (genre: (typeof genres)[number], places: readonly number[]) =>
  places.map((place) => place * genres.length + genres.indexOf(genre));

/**
 * A synthetic bookshop, the same for the same options. Half of the users only look around. Nearly half of all readers
 * prefer crime, and everybody also views and buys other books. With `repeat`, some purchases follow a view of the book.
 */
export function bookshopEvents({
  users = 2000,
  buys = 1,
  views = 4,
  repeat = 0,
  seed = 1,
} = {}): ShopEvent[] {
  const random = seededRandom(seed);
  const genre = () => (random() < 0.45 ? 0 : 1 + Math.floor(random() * (genres.length - 1)));
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const events: ShopEvent[] = [];
  for (let user = 0; user < users; user++) {
    const preferred = genre();
    const bought = random() < 0.5 ? 0 : upTo(2 * buys);
    const viewed = upTo(2 * views);
    for (let left = [bought, viewed]; left[0]! + left[1]! > 0; ) {
      const type = random() * (left[0]! + left[1]!) < left[0]! ? 'buy' : 'view';
      left = type === 'buy' ? [left[0]! - 1, left[1]!] : [left[0]!, left[1]! - 1];
      const chosen = random() < (type === 'buy' ? 0.2 : 0.3) ? genre() : preferred;
      const item = Math.floor(random() ** 2 * booksPerGenre) * genres.length + chosen;
      if (type === 'buy' && random() < repeat) events.push({ user, item, type: 'view' });
      events.push({ user, item, type });
    }
  }
  return events;
}

export function bookshop(options: Parameters<typeof bookshopEvents>[0] = {}) {
  const builder = new InteractionsBuilder();
  for (const [place, { user, item, type }] of bookshopEvents(options).entries())
    builder.push(user, item, type === 'buy' ? 0 : 1, 1, place);
  return builder.build({ ordered: true, items: genres.length * booksPerGenre });
}
