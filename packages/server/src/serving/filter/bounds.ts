/** What one filter may cost. The length of its text is the contract's (`filterQueryLength`). */
export const bounds = {
  /** Parts inside each other. People write up to about ten; building and evaluating recurse once for each. */
  depth: 64,
  /** Parts in all. A list of one-digit numbers as long as a filter may be comes to this many. */
  nodes: 2048,
  /**
   * Steps for one item, each of 10 to 50 ns: 5 ms at the worst, and twice that before the code is warm. The largest
   * list a record of 20 kb can hold has 10,240 elements: it can be walked with nine parts evaluated for each.
   */
  steps: 100_000,
  /** Characters of a text made by `+`: three times the largest record. */
  textLength: 65_536,
  /** Elements of a list made by `+`, `map` or `filter`: as many as the largest record can hold. */
  listLength: 10_240,
  /** Uses of `matches`. Each keeps up to 8 MB of states while its filter is kept. */
  patterns: 4,
  /** Characters of all patterns together: a Unicode class of 3 takes 0.1 ms to compile. */
  patternLength: 256,
  /** Instructions of all patterns together, which `{n}` multiplies: 2 µs each to compile. */
  patternSize: 512,
} as const;

/** Characters that are compared or copied in the time of one step. */
export const charactersPerStep = 16;

/**
 * Characters of text times characters of what is looked for, in a step: looking for a text in another takes the
 * engine, at the worst, their product (0.85 ns each).
 */
export const searchesPerStep = 64;

/** Characters times instructions of a pattern, in a step: 5 to 9 ns each where the pattern needs many states. */
export const transitionsPerStep = 8;
