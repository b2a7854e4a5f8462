/**
 * What a training costs. The only place for these numbers.
 *
 * From `npm run bench -- train` on two cores, two threads: gowalla (810,000 events, 41,000 items, K = 200) fitted in 2.5 s, made data of
 * 1 and 10 million events (K = 100) in 3.1 and 47 s; a search and a fit together took 4.2 to 8.8 fits. Peaks: 645 MiB for gowalla
 * with its search, 4.7 GiB for 30 million made events.
 */
export const trainingRates = {
  /** One fit with `fitNeighbors`; in proportion to both. */
  fitSecondsPerEvent: 5e-6,
  fitNeighbors: 200,
  /** A search takes as long as so many fits; without one, the model is still measured on a held-out part, by one fit. */
  searchFits: 6,
  measureFits: 1,
  /** Starting threads, and writing the model. */
  fixedSeconds: 2,
  /** The two views of the events, their times and types, and those of the search beside them. */
  bytesPerEvent: 120,
  /** A weight and its target, while fitted and once more while written; for each neighbor of each item. */
  bytesPerNeighbor: 16,
  /** Node.js and its threads. */
  fixedBytes: 400_000_000,
};
