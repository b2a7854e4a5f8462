import { type Book, makeCatalogue } from './catalogue.ts';
import { Chance } from './chance.ts';
import { makeEvents, type ShopEvent } from './events.ts';
import { makeReaders, type Reader } from './readers.ts';

export interface Shop {
  readonly readers: readonly Reader[];
  readonly books: readonly Book[];
  readonly events: readonly ShopEvent[];
}

/** Enough for tastes to show, and for a training that searches its parameters to take seconds. */
const readers = 2000;
const books = 400;
const eventsPerReader = 15;
const seed = 1;

/** A bookshop that never was. Always the same, to the byte. */
export function makeShop(): Shop {
  // A stream of chance each: what is changed in one leaves the others as they are.
  const catalogue = makeCatalogue(new Chance(seed), books);
  const people = makeReaders(new Chance(seed + 1), readers);
  const events = [...makeEvents(new Chance(seed + 2), people, catalogue, eventsPerReader)];
  return { readers: people, books: catalogue, events };
}
