// AssemblyScript; `npm run generate` compiles it into src/g1/fit/cooccurrence-code.ts. src/g1/fit/support.ts describes what it
// computes and lays out the memory. Arrays are addresses in that memory: of u32 (offsets, places, ranks), f32 (weights)
// or f64 (sums). Items are numbered by rank, the most popular first, so that the sums used most are close together.

/** The address of a four-byte element. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/** The address of an eight-byte element. */
function at8(array: usize, index: usize): usize {
  return array + (index << 3);
}

/** Digits have 11 bits, so that their counts (8 KiB) stay in the L1 cache. */
const digits: usize = 2048;
/** No score is negative: the first digit has all bits of the exponent and three of the fraction. */
const firstDigitShift: u32 = 20;
/** How many scores are collected between two updates of the threshold. */
const scoresPerUpdate: usize = 256;

/**
 * Fills the support of the sources from `from` to `to`. `columnPlace` says where in `rows` a user's row begins, in units
 * of eight bytes: the number of items and the row's weight, then for each item its rank and its weight as a target.
 * `sum` has one number per item, zero before and after; `touched` has one place more than there are items; `score` has
 * one place per item, `counts` one per digit value.
 */
export function support(
  from: usize,
  to: usize,
  k: usize,
  columnOffsets: usize,
  columnPlace: usize,
  columnWeight: usize,
  rows: usize,
  rankOf: usize,
  itemOf: usize,
  targetScale: usize,
  count: usize,
  target: usize,
  sum: usize,
  touched: usize,
  score: usize,
  counts: usize,
): void {
  for (let source = from; source < to; source++) {
    let size: usize = 0;
    const end: usize = load<u32>(at(columnOffsets, source + 1));
    let cell: usize = load<u32>(at(columnOffsets, source));
    // The head of the next row is rarely in a cache: it is read while this row is added.
    let nextRow = at8(rows, load<u32>(at(columnPlace, cell)));
    let nextLength: usize = load<u32>(nextRow);
    let nextWeight = load<f32>(nextRow, 4);
    for (; cell < end; cell++) {
      const row = nextRow;
      const rowEnd = at8(row, nextLength);
      const weight = <f64>load<f32>(at(columnWeight, cell)) * <f64>nextWeight;
      nextRow = at8(rows, load<u32>(at(columnPlace, cell + 1)));
      nextLength = load<u32>(nextRow);
      nextWeight = load<f32>(nextRow, 4);
      // Below, a sum of 0 means that the item has not been seen yet.
      if (weight == 0) continue;
      for (let place = row; place < rowEnd; place += 8) {
        const other: usize = load<u32>(place, 8);
        const before = load<f64>(at8(sum, other));
        // Always written, but `size` advances only the first time: faster than a branch that is hard to predict.
        store<u32>(at(touched, size), <u32>other);
        size += <usize>(before == 0);
        store<f64>(at8(sum, other), before + weight * <f64>load<f32>(place, 12));
      }
    }
    memory.fill(counts, 0, digits << 2);
    const own: usize = load<u32>(at(rankOf, source));
    let others: usize = 0;
    let collected: usize = 0;
    let nextUpdate = max(k, scoresPerUpdate);
    let threshold: u32 = 0;
    for (let index: usize = 0; index < size; index++) {
      const other: usize = load<u32>(at(touched, index));
      const total = load<f64>(at8(sum, other));
      store<f64>(at8(sum, other), 0);
      const bits = reinterpret<u32>(<f32>(total * <f64>load<f32>(at(targetScale, other))));
      if (other == own) continue;
      others++;
      if (bits < threshold) continue;
      store<u32>(at(touched, collected), <u32>other);
      store<u32>(at(score, collected), bits);
      const counter = at(counts, bits >>> firstDigitShift);
      store<u32>(counter, load<u32>(counter) + 1);
      if (++collected < nextUpdate) continue;
      // At least k scores have a first digit as large as this, so smaller ones need not be collected.
      threshold = (<u32>digitOfLast(counts, k)) << firstDigitShift;
      nextUpdate = collected + scoresPerUpdate;
    }
    store<u32>(at(count, source), <u32>min(k, others));
    choose(touched, score, collected, k, at(target, source * k), counts, itemOf);
  }
}

/** The largest digit such that at least `needed` are counted with it or above; 0 if there are fewer. */
function digitOfLast(counts: usize, needed: usize): usize {
  let above: usize = 0;
  for (let value = digits - 1; value > 0; value--) {
    above += load<u32>(at(counts, value));
    if (above >= needed) return value;
  }
  return 0;
}

/**
 * Writes the items with the k largest scores to `into` (all of them if there are fewer); ties go to the smaller item.
 * The result does not depend on the order of the input. Radix selection on the bits of the score (no score is negative,
 * so their bits sort like the scores), then on the item. At each digit, entries above the digit of the k-th are chosen,
 * and entries equal to it go on to the next digit. The first digits are counted already.
 */
function choose(
  rank: usize,
  score: usize,
  length: usize,
  k: usize,
  into: usize,
  counts: usize,
  itemOf: usize,
): void {
  let size = length;
  let needed = k;
  for (let level: u32 = 0; size > needed; level++) {
    if (level > 0) {
      memory.fill(counts, 0, digits << 2);
      for (let place: usize = 0; place < size; place++) {
        const counter = at(
          counts,
          digit(level, load<u32>(at(score, place)), load<u32>(at(rank, place)), itemOf),
        );
        store<u32>(counter, load<u32>(counter) + 1);
      }
    }
    const threshold = digitOfLast(counts, needed);
    let above: usize = 0;
    let equal: usize = 0;
    for (let place: usize = 0; place < size; place++) {
      const own = load<u32>(at(rank, place));
      const bits = load<u32>(at(score, place));
      const value = digit(level, bits, own, itemOf);
      if (value > threshold) {
        store<u32>(into, load<u32>(at(itemOf, own)));
        into += 4;
        above++;
      } else if (value == threshold) {
        store<u32>(at(rank, equal), own);
        store<u32>(at(score, equal), bits);
        equal++;
      }
    }
    needed -= above;
    size = equal;
  }
  for (let place: usize = 0; place < size; place++)
    store<u32>(at(into, place), load<u32>(at(itemOf, load<u32>(at(rank, place)))));
}

/** Digits from most to least significant: three of the score, then three of the item, where smaller is better. */
function digit(level: u32, score: u32, rank: u32, itemOf: usize): usize {
  if (level == 0) return score >>> firstDigitShift;
  if (level == 1) return (score >>> 9) & 2047;
  if (level == 2) return score & 511;
  const word = ~load<u32>(at(itemOf, rank));
  return level == 3 ? word >>> 21 : level == 4 ? (word >>> 10) & 2047 : word & 1023;
}
