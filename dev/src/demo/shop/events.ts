import { type Book, newest } from './catalogue.ts';
import type { Chance } from './chance.ts';
import { type Genre, genreMakings, genres } from './genres.ts';
import type { Reader } from './readers.ts';

export interface ShopEvent {
  readonly event_id: string;
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
  readonly event_type: 'view' | 'buy';
  readonly event_value: number;
}

const firstDay = Date.UTC(2024, 6, 1);
const lastDay = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const minuteMs = 60_000;
/** When a reader's later taste takes the place of the last one. */
const turningPoint = Date.UTC(2025, 3, 1);
/** Books of the newest year are not there before it. */
const newestFrom = Date.UTC(newest, 0, 1);

/** How often a reader looks for the next book of an author whom they have bought from. */
const followsAuthor = 0.3;
/** How often somebody looks at what is not their taste at all. */
const wanders = 0.1;
/** A purchase is not recorded as a view as well: that would tell what is bought next without any taste. */
const buys = 0.35;

/**
 * What readers looked at and bought in a year and a half, in the order of time for each: by their tastes, by the
 * season, by popularity with a long tail, and by authors they know. `event_value` of a view is how much of the sample
 * was read, of a purchase how many copies.
 */
export function* makeEvents(
  chance: Chance,
  readers: readonly Reader[],
  books: readonly Book[],
  perReader: number,
): Generator<ShopEvent, void, undefined> {
  const byGenre = new Map(
    genres.map((genre) => [genre, books.filter((book) => book.attributes.genres[0] === genre)]),
  );
  let count = 0;
  for (const reader of readers) {
    // From a third to three times the mean, most of them below it.
    const wanted = Math.max(4, Math.round(perReader * chance.between(0.58, 1.65) ** 2));
    const joined = chance.between(firstDay, lastDay - 60 * dayMs);
    const someDay = () => chance.between(joined, lastDay);
    // Of two days, rather the one on which the reader's first taste is in season.
    const visits = Array.from({ length: Math.ceil(wanted / 2) }, () =>
      chance.weighted([someDay(), someDay()], (ts) => seasonOf(reader.tastes[0] ?? 'Crime', ts) ** 2),
    ).toSorted((one, other) => one - other);
    const bought = new Set<Book>();
    for (const visit of visits) {
      let ts = Math.floor(visit);
      for (let views = chance.whole(1, 3); views > 0; views--) {
        const book = chooseBook(chance, byGenre, reader, bought, ts);
        if (!book) continue;
        const event_id = `e${++count}`;
        const event = { event_id, user_id: reader.user_id, item_id: book.item_id, ts };
        ts += chance.whole(1, 9) * minuteMs;
        if (chance.happens(buys)) {
          bought.add(book);
          yield { ...event, event_type: 'buy', event_value: chance.happens(0.07) ? 2 : 1 };
        } else {
          yield { ...event, event_type: 'view', event_value: Math.round(chance.between(0.2, 1) * 10) / 10 };
        }
      }
    }
  }
}

function chooseBook(
  chance: Chance,
  byGenre: ReadonlyMap<Genre, readonly Book[]>,
  reader: Reader,
  bought: ReadonlySet<Book>,
  ts: number,
): Book | undefined {
  const isThere = (book: Book) => !bought.has(book) && (book.attributes.year < newest || ts >= newestFrom);
  const last = [...bought].at(-1);
  if (last && chance.happens(followsAuthor)) {
    const {
      author,
      genres: [genre = 'Crime'],
    } = last.attributes;
    const next = byGenre.get(genre)?.find((book) => book.attributes.author === author && isThere(book));
    if (next) return next;
  }
  const tastes = tastesAt(reader, ts);
  const genre = chance.happens(wanders)
    ? chance.weighted(genres, (any) => seasonOf(any, ts))
    : chance.weighted(tastes, (taste, place) => seasonOf(taste, ts) / (place + 1));
  const shelf = (byGenre.get(genre) ?? []).filter(isThere);
  return shelf.length === 0 ? undefined : chance.weighted(shelf, (_, rank) => 1 / (rank + 3));
}

function seasonOf(genre: Genre, ts: number): number {
  return genreMakings[genre].season[new Date(ts).getUTCMonth()] ?? 1;
}

function tastesAt({ tastes, laterTaste }: Reader, ts: number): readonly Genre[] {
  if (laterTaste === undefined || ts < turningPoint) return tastes;
  return [...tastes.slice(0, Math.max(1, tastes.length - 1)), laterTaste];
}
