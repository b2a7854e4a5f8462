/**
 * What a training costs. The only place for these numbers.
 *
 * PROVISIONAL: expected, not measured. `npm run bench -- train` measures them: write here what it says, and on which machine.
 */
export const trainingRates = {
  /** One fit with `fitNeighbors`; in proportion to both. */
  fitSecondsPerEvent: 8e-6,
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
  fixedBytes: 300_000_000,
};
