/** Limits of one filter. The length of its text is in the contract (`filterQueryLength`). */
export const bounds = {
  /** Nesting depth. People write up to about ten levels; building and evaluating recurse once per level. */
  depth: 64,
  /** Total number of parts. The longest possible list of one-digit numbers has this many. */
  nodes: 2048,
  /** Per item, 6 to 50 ns each: at most 5 ms, or 10 in cold code. Enough for a list of 10,000 elements with nine parts each. */
  steps: 100_000,
  /** Length of a string built with `+`. */
  textLength: 65_536,
  /** Elements of a list built with `+` or `map`. */
  listLength: 10_240,
  /** Uses of `matches`. Each holds up to 8 MB of states as long as the filter is cached. */
  patterns: 4,
  /** Total characters of all patterns: a Unicode class of 3 characters takes 0.1 ms to compile. */
  patternLength: 256,
  /** Total instructions of all patterns, which `{n}` multiplies: 2 µs each to compile. */
  patternSize: 512,
} as const;

/** Characters compared or copied per step. */
export const charactersPerStep = 16;

/** Length of the text times that of the search string, per step: the engine's worst case is their product (0.85 ns each). */
export const searchesPerStep = 64;

/** Length of the text times instructions of the pattern, per step: 5 to 9 ns each if the pattern needs many states. */
export const transitionsPerStep = 8;
