import type { DataSize, PastTraining, TrainingEstimate } from '../algorithm.ts';
import { factorBytes } from '../low-rank/factors.ts';
import { ranksFor } from '../low-rank/ranks.ts';
import { pairBytes } from './fit/find-pairs.ts';
import { transitionsPerItem } from './fit/transitions.ts';
import { targetsPerSource } from './parameters.ts';
import { searchSample } from './search/search.ts';
import type { WireParameters } from './wire-parameters.ts';

/**
 * What a training costs. All such figures are here.
 *
 * From `npm run bench -- train` on two cores with two threads. One fit took 2.5 s on gowalla (810,000 events, 41,000
 * items, K = 200), and 3.1 and 47 s on synthetic data of 1 and 10 million events (K = 100). A search with its fit took
 * 4.2 to 8.8 times as long as one fit. Peak memory: see docs/decisions/kernels.md.
 */
const rates = {
  /** One fit with `fitNeighbors` neighbors; proportional to both events and neighbors. */
  fitSecondsPerEvent: 5e-6,
  fitNeighbors: 200,
  /** A search takes as long as this many fits. Without a search, one more fit still measures the model on held-out data. */
  searchFits: 6,
  /** With several event types, the search takes this many more, unless both their weights and the regularization are given. */
  typeSearchFits: 2,
  measureFits: 1,
  /**
   * One decomposition of `factorRank` factors, quadratic in their number: 9.4 s of CPU time on gowalla, on two threads.
   * The part that grows with events is far below that of a fit.
   */
  factorSecondsPerItem: 1.2e-4,
  factorRank: 512,
  /** One for the search, one for the final fit. */
  decompositions: 2,
  /** Starting threads, and writing the model. */
  fixedSeconds: 2,
  /**
   * While a part of the data is fitted for the report: all events with their times, that part, its matrix by item, and the
   * same in kernel memory. Per neighbor of each item, its number as a target and as a source, and its weight.
   */
  fitting: { bytesPerEvent: 45, bytesPerNeighbor: 12, bytesPerItem: 0 },
  /** While the rows of a model are stored: per neighbor and per transition, 8 bytes before and 5 after. */
  storing: { bytesPerEvent: 25, bytesPerNeighbor: 13, bytesPerItem: 13 * transitionsPerItem },
  /** Node.js and its threads. */
  fixedBytes: 400_000_000,
};

/** Parameters for which every candidate needs a new fit. Candidates for the others reuse existing fits. */
const searchedByFits = [
  'regularization',
  'popularity_regularization',
  'activity_exponent',
  'event_weights',
] as const satisfies (keyof WireParameters)[];

const isSearched = (parameters: WireParameters) =>
  searchedByFits.some((name) => parameters[name] === undefined);

function fitsOf(parameters: WireParameters): number {
  if (!isSearched(parameters)) return rates.measureFits;
  const isFitGiven = parameters.regularization !== undefined && parameters.event_weights !== undefined;
  return rates.searchFits + (isFitGiven ? 0 : rates.typeSearchFits);
}

const eventsOfSearch = (events: number) => (events > searchSample.above ? searchSample.events : events);

export function estimate(size: DataSize, parameters: WireParameters): TrainingEstimate {
  const { events, users, items } = size;
  const neighbors = neighborsOf(size, parameters);
  const fit = rates.fitSecondsPerEvent * events * (neighbors / rates.fitNeighbors);
  const fits = fitsOf(parameters);
  const searched = eventsOfSearch(events);
  const matrix = { users, items, pairs: events };
  const rank = ranksFor(matrix).at(-1) ?? 0;
  const factors = rates.decompositions * rates.factorSecondsPerItem * items * (rank / rates.factorRank) ** 2;
  const factorMemory = rank > 0 ? factorBytes(matrix, rank) + items * rank : 0;
  const bytesOf = ({ bytesPerEvent, bytesPerNeighbor, bytesPerItem }: (typeof rates)['fitting']) =>
    bytesPerEvent * events + (bytesPerNeighbor * neighbors + bytesPerItem) * items;
  const perMillion = rates.fitSecondsPerEvent * 1e6;
  return {
    seconds: rates.fixedSeconds + fit + fits * rates.fitSecondsPerEvent * searched + factors,
    memoryBytes:
      rates.fixedBytes +
      Math.max(bytesOf(rates.fitting), bytesOf(rates.storing)) +
      factorMemory +
      pairBytes(events),
    basis: `From our benchmarks on two CPU cores: ${perMillion} seconds per fit of a million events with ${rates.fitNeighbors} neighbors. One fit has ${neighbors} neighbors, and with these parameters the search takes as long as ${fits} such fits${searched < events ? ` of a sample of ${inDigits(searched)} events` : ''}.`,
  };
}

/** Accounts for a search that only one of the two trainings does, or does on a sample. */
export function secondsLike(
  past: PastTraining<WireParameters>,
  parameters: WireParameters,
  events: number,
): number {
  const { read, search, fit, write } = past.seconds;
  const growth = events / past.events;
  const searches = isSearched(parameters);
  const searching =
    searches === isSearched(past.parameters)
      ? (search * eventsOfSearch(events)) / eventsOfSearch(past.events)
      : (fit * fitsOf(parameters) * eventsOfSearch(events)) / past.events;
  return (read + fit + write) * growth + searching;
}

/** What a kernel can address, and the most that the co-occurrence or the regression needs of it. */
const kernel = {
  limitBytes: 2 ** 32,
  /** The largest window that can be configured. */
  windowBytes: 2 ** 30,
  /** Either by user or by item: a number and a weight. */
  bytesPerPair: 8,
  /** The column of the token that every user has, the residuals of four threads, and a target that every user has. */
  bytesPerUser: 28,
  /** With the sums of four threads. */
  bytesPerItem: 84,
};

/** Neighbors of all items that the arrays of a model can have. */
const maxNeighbors = 2 ** 30;

const inDigits = (value: number) => value.toLocaleString('en');
const inGibibytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** What a kernel needs before the pairs of users and items. */
const fixedKernelBytes = ({ users, items }: DataSize) =>
  kernel.windowBytes + kernel.bytesPerUser * users + kernel.bytesPerItem * items;

const neighborsOf = ({ items }: DataSize, { neighbors = targetsPerSource(items) }: WireParameters) =>
  Math.min(neighbors, items);

/** Rejects what cannot be fitted however much memory the worker has. */
export function refuse(size: DataSize, parameters: WireParameters): string | undefined {
  const { items, users } = size;
  const needed = fixedKernelBytes(size);
  if (needed > kernel.limitBytes)
    return `${inDigits(items)} items and ${inDigits(users)} users need ${inGibibytes(needed)} of memory in one step, which can use ${inGibibytes(kernel.limitBytes)}. Delete items, users and events that you no longer need.`;
  const neighbors = neighborsOf(size, parameters);
  if (neighbors * items <= maxNeighbors) return undefined;
  return `A model can have ${inDigits(maxNeighbors)} neighbors, and ${inDigits(neighbors)} for each of ${inDigits(items)} items are more. Set "neighbors" to ${inDigits(Math.floor(maxNeighbors / items))} or less, or delete items that you no longer need.`;
}

/** Users may have several events with an item, which count as one pair; so only a training can tell. */
export function doubt(size: DataSize): string | undefined {
  const rest = fixedKernelBytes(size);
  const needed = rest + kernel.bytesPerPair * size.events;
  if (needed <= kernel.limitBytes) return undefined;
  const fitting = Math.max(0, Math.floor((kernel.limitBytes - rest) / kernel.bytesPerPair));
  return `Training on ${inDigits(size.events)} events needs ${inGibibytes(needed)} of memory in one step, which can use ${inGibibytes(kernel.limitBytes)}, unless many of them repeat a user and an item. ${inDigits(fitting)} events fit with as many users and items: delete old events.`;
}
