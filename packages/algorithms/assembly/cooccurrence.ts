// AssemblyScript; `npm run generate` compiles it into src/g1/cooccurrence-code.ts. src/g1/support.ts describes what it
// computes and lays out the memory. Arrays are addresses in that memory: of u32 (offsets, indices), f32 (weights) or
// f64 (sums).

/** The address of a four-byte element. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/** Digits have 11 bits, so that their counts (8 KiB) stay in the L1 cache. */
const digits: usize = 2048;

/**
 * Fills the support of the sources from `from` to `to`. `sum` has one number per item, zero before and after; `touched`
 * has one place more than there are items; `score` has one place per item, `counts` one per digit value.
 */
export function support(
  from: usize,
  to: usize,
  k: usize,
  columnOffsets: usize,
  columnRow: usize,
  columnWeight: usize,
  rowWeight: usize,
  offsets: usize,
  item: usize,
  targetWeight: usize,
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
    for (let cell: usize = load<u32>(at(columnOffsets, source)); cell < end; cell++) {
      const row: usize = load<u32>(at(columnRow, cell));
      const weight = <f64>load<f32>(at(columnWeight, cell)) * <f64>load<f32>(at(rowWeight, row));
      // Below, a sum of 0 means that the item has not been seen yet.
      if (weight == 0) continue;
      const rowEnd = at(item, load<u32>(at(offsets, row + 1)));
      const toWeight = targetWeight - item;
      for (let place = at(item, load<u32>(at(offsets, row))); place < rowEnd; place += 4) {
        const other: usize = load<u32>(place);
        const before = load<f64>(sum + (other << 3));
        // Always written, but `size` advances only the first time: faster than a branch that is hard to predict.
        store<u32>(at(touched, size), <u32>other);
        size += <usize>(before == 0);
        store<f64>(sum + (other << 3), before + weight * <f64>load<f32>(place + toWeight));
      }
    }
    let others: usize = 0;
    for (let index: usize = 0; index < size; index++) {
      const other: usize = load<u32>(at(touched, index));
      const total = load<f64>(sum + (other << 3));
      store<f64>(sum + (other << 3), 0);
      store<u32>(at(touched, others), <u32>other);
      store<f32>(at(score, others), <f32>(total * <f64>load<f32>(at(targetScale, other))));
      others += <usize>(other != source);
    }
    store<u32>(at(count, source), <u32>min(k, others));
    choose(touched, score, others, k, at(target, source * k), counts);
  }
}

/**
 * Writes the indices of the k largest scores to `into` (all of them if there are fewer); ties go to the smaller index.
 * The result does not depend on the order of the input. Radix selection on the bits of the score (no score is negative,
 * so their bits sort like the scores), then on the index. At each digit, entries above the digit of the k-th are
 * chosen, and entries equal to it go on to the next digit.
 */
function choose(index: usize, score: usize, length: usize, k: usize, into: usize, counts: usize): void {
  let size = length;
  let needed = k;
  for (let level: u32 = 0; size > needed; level++) {
    memory.fill(counts, 0, digits << 2);
    for (let place: usize = 0; place < size; place++) {
      const counter = at(counts, digit(level, load<u32>(at(score, place)), load<u32>(at(index, place))));
      store<u32>(counter, load<u32>(counter) + 1);
    }
    let threshold = digits - 1;
    let above: usize = 0;
    for (;;) {
      const here: usize = load<u32>(at(counts, threshold));
      if (above + here >= needed) break;
      above += here;
      threshold--;
    }
    let equal: usize = 0;
    for (let place: usize = 0; place < size; place++) {
      const own = load<u32>(at(index, place));
      const bits = load<u32>(at(score, place));
      const value = digit(level, bits, own);
      if (value > threshold) {
        store<u32>(into, own);
        into += 4;
      } else if (value == threshold) {
        store<u32>(at(index, equal), own);
        store<u32>(at(score, equal), bits);
        equal++;
      }
    }
    needed -= above;
    size = equal;
  }
  memory.copy(into, index, size << 2);
}

/** Digits from most to least significant: three of the score, then three of the index, where smaller is better. */
function digit(level: u32, score: u32, index: u32): usize {
  const word = level < 3 ? score : ~index;
  const place = level < 3 ? level : level - 3;
  return place == 0 ? word >>> 21 : place == 1 ? (word >>> 10) & 2047 : word & 1023;
}
