import { type Book, generateCatalogue } from './catalogue.ts';
import { generateEvents, type ShopEvent } from './events.ts';
import { Random } from './random.ts';
import { generateReaders, type Reader } from './readers.ts';

export interface Shop {
  readonly readers: readonly Reader[];
  readonly books: readonly Book[];
  readonly events: readonly ShopEvent[];
}

/** Enough data for tastes to show, but training with a parameter search still takes only seconds. */
const readers = 2000;
const books = 400;
const eventsPerReader = 15;
const seed = 1;

const dayMs = 86_400_000;

/**
 * Generates a sample bookshop (synthetic data). The result is always the same, to the byte. With `endsBefore`, all events are moved by the
 * same number of whole days, so that the newest is of the day before that time.
 */
export function generateShop(endsBefore?: number): Shop {
  // One random stream each, so that a change in one part does not affect the others.
  const catalogue = generateCatalogue(new Random(seed), books);
  const people = generateReaders(new Random(seed + 1), readers);
  const events = [...generateEvents(new Random(seed + 2), people, catalogue, eventsPerReader)];
  return {
    readers: people,
    books: catalogue,
    events: endsBefore === undefined ? events : moveTo(endsBefore, events),
  };
}

function moveTo(endsBefore: number, events: readonly ShopEvent[]): ShopEvent[] {
  const newest = events.reduce((max, { ts }) => Math.max(max, ts), 0);
  const shiftMs = Math.floor((endsBefore - newest) / dayMs) * dayMs;
  return events.map((event) => ({ ...event, ts: event.ts + shiftMs }));
}
