/** Rounds that alternate between calls with and without something. */
export interface CostRounds {
  readonly seconds: number;
  readonly pairs: number;
  /** The least share of the rate without. */
  readonly goal?: number;
}

export interface Sizes {
  readonly shop: { users: number; items: number; events: number };
  readonly withMovieLens: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly ratioGoal: number;
  readonly p99Goal: number;
  /** What noise may take from the rates that are compared. */
  readonly questionTolerance: number;
  /** With and without the decision log. */
  readonly log: CostRounds;
  /** With and without items that were added after the training. */
  readonly late: CostRounds;
  /** With and without a low-rank part. */
  readonly lowRank: CostRounds & { readonly rank: number };
}

export const full: Sizes = {
  shop: { users: 1_000_000, items: 200_000, events: 6_000_000 },
  withMovieLens: true,
  seconds: 5,
  rounds: 4,
  ratioGoal: 0.7,
  p99Goal: 10,
  questionTolerance: 0.95,
  log: { seconds: 2, pairs: 16, goal: 0.95 },
  late: { seconds: 2, pairs: 16, goal: 0.9 },
  // The highest rank that a model of so many items can have.
  lowRank: { rank: 128, seconds: 2, pairs: 16, goal: 0.9 },
};
// The goal is lower: short rounds on a machine with other work, with code that is hardly warmed up.
export const quick: Sizes = {
  shop: { users: 20_000, items: 4000, events: 200_000 },
  withMovieLens: false,
  seconds: 1,
  rounds: 3,
  // Measured: .45 to .55 on a quiet machine. Rounds of one second vary.
  ratioGoal: 0.3,
  p99Goal: 100,
  questionTolerance: 0.6,
  // No goal: on a busy machine, the ratio of short rounds is mostly noise.
  log: { seconds: 1, pairs: 6 },
  late: { seconds: 1, pairs: 6 },
  lowRank: { rank: 512, seconds: 1, pairs: 6 },
};

export const connections = 32;
export const limit = 20;
