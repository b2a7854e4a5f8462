/** Bits of an item's state: some evidence reaches it; the user has seen it; it is ranked by its evidence. */
export const reachedBit = 1;
export const seenBit = 2;
export const rankedBit = 4;

/** What a scorer knows of the items while it answers for one user. All zero between two users. */
export interface Scratch {
  readonly score: Float64Array;
  readonly state: Uint8Array;
  /** The items that evidence reaches, in any order. */
  readonly touched: Uint32Array;
}

export const newScratch = (items: number): Scratch => ({
  score: new Float64Array(items),
  state: new Uint8Array(items),
  touched: new Uint32Array(items),
});

/** Resets what the user's evidence and exclusions changed. */
export function clearScratch(
  { score, state, touched }: Scratch,
  size: number,
  seen: readonly number[],
): void {
  for (let place = 0; place < size; place++) {
    state[touched[place]!] = 0;
    score[touched[place]!] = 0;
  }
  for (const item of seen) state[item] = 0;
}
