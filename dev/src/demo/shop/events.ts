import { type Book, newestYear } from './catalogue.ts';
import { type Genre, genreProfiles, genres } from './genres.ts';
import type { Random } from './random.ts';
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
/** When a reader's later taste replaces the last one. */
const tasteChangeAt = Date.UTC(2025, 3, 1);
/** Books of the newest year are not available before it. */
const newestAvailableFrom = Date.UTC(newestYear, 0, 1);

/** How often a reader looks for another book by the author of the last purchase. */
const followAuthorProbability = 0.3;
/** How often a reader looks at a genre outside their tastes. */
const exploreProbability = 0.1;
/** A purchase is not also recorded as a view, because views would then give away the purchases. */
const buyProbability = 0.35;

/**
 * Generates views and purchases over one and a half years, in order of time per reader. They depend on tastes, season,
 * popularity with a long tail, and known authors. The `event_value` of a view is how much of the sample was read; that
 * of a purchase is the number of copies.
 */
export function* generateEvents(
  random: Random,
  readers: readonly Reader[],
  books: readonly Book[],
  perReader: number,
): Generator<ShopEvent, void, undefined> {
  const byGenre = new Map(
    genres.map((genre) => [genre, books.filter((book) => book.attributes.genres[0] === genre)]),
  );
  let count = 0;
  for (const reader of readers) {
    // From a third to three times the mean, mostly below it.
    const targetCount = Math.max(4, Math.round(perReader * random.between(0.58, 1.65) ** 2));
    const joined = random.between(firstDay, lastDay - 60 * dayMs);
    const someDay = () => random.between(joined, lastDay);
    // Of two days, prefer the one on which the reader's first taste is in season.
    const visits = Array.from({ length: Math.ceil(targetCount / 2) }, () =>
      random.weighted([someDay(), someDay()], (ts) => seasonOf(reader.tastes[0] ?? 'Crime', ts) ** 2),
    ).toSorted((one, other) => one - other);
    const bought = new Set<Book>();
    for (const visit of visits) {
      let ts = Math.floor(visit);
      for (let views = random.integer(1, 3); views > 0; views--) {
        const book = chooseBook(random, byGenre, reader, bought, ts);
        if (!book) continue;
        const event_id = `e${++count}`;
        const event = { event_id, user_id: reader.user_id, item_id: book.item_id, ts };
        ts += random.integer(1, 9) * minuteMs;
        if (random.chance(buyProbability)) {
          bought.add(book);
          yield { ...event, event_type: 'buy', event_value: random.chance(0.07) ? 2 : 1 };
        } else {
          yield { ...event, event_type: 'view', event_value: Math.round(random.between(0.2, 1) * 10) / 10 };
        }
      }
    }
  }
}

function chooseBook(
  random: Random,
  byGenre: ReadonlyMap<Genre, readonly Book[]>,
  reader: Reader,
  bought: ReadonlySet<Book>,
  ts: number,
): Book | undefined {
  const isAvailable = (book: Book) =>
    !bought.has(book) && (book.attributes.year < newestYear || ts >= newestAvailableFrom);
  const last = [...bought].at(-1);
  if (last && random.chance(followAuthorProbability)) {
    const {
      author,
      genres: [genre = 'Crime'],
    } = last.attributes;
    const next = byGenre.get(genre)?.find((book) => book.attributes.author === author && isAvailable(book));
    if (next) return next;
  }
  const tastes = tastesAt(reader, ts);
  const genre = random.chance(exploreProbability)
    ? random.weighted(genres, (any) => seasonOf(any, ts))
    : random.weighted(tastes, (taste, index) => seasonOf(taste, ts) / (index + 1));
  const shelf = (byGenre.get(genre) ?? []).filter(isAvailable);
  return shelf.length === 0 ? undefined : random.weighted(shelf, (_, rank) => 1 / (rank + 3));
}

function seasonOf(genre: Genre, ts: number): number {
  return genreProfiles[genre].season[new Date(ts).getUTCMonth()] ?? 1;
}

function tastesAt({ tastes, laterTaste }: Reader, ts: number): readonly Genre[] {
  if (laterTaste === undefined || ts < tasteChangeAt) return tastes;
  return [...tastes.slice(0, Math.max(1, tastes.length - 1)), laterTaste];
}
