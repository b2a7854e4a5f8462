// AssemblyScript, which `npm run generate` compiles into src/g1/cooccurrence-code.ts. What it computes is said in
// src/g1/support.ts, which lays out the memory: arrays are addresses in it, of u32 (offsets, indices), f32 (weights) or,
// sums, f64.

/** Where an element of four bytes is. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/** Digits of 11 bits: their counts, 8 KiB, stay in the nearest cache. */
const digits: usize = 2048;

/**
 * Fills the support of the sources from `from` to `to`. `sum` has a number an item, zero before and after; `touched` a
 * place more than there are items; `score` a place an item; `counts` one a digit.
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
  wanted: usize,
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
      // Below, a sum of 0 means that its item was not met yet.
      if (weight == 0) continue;
      const rowEnd = at(item, load<u32>(at(offsets, row + 1)));
      const toWanted = wanted - item;
      for (let place = at(item, load<u32>(at(offsets, row))); place < rowEnd; place += 4) {
        const other: usize = load<u32>(place);
        const before = load<f64>(sum + (other << 3));
        // Written each time and kept the first time, which is faster than a jump that is hard to foresee.
        store<u32>(at(touched, size), <u32>other);
        size += <usize>(before == 0);
        store<f64>(sum + (other << 3), before + weight * <f64>load<f32>(place + toWanted));
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
 * Writes to `into` the k of the largest scores, or all if there are fewer, and among equals those of the smaller index:
 * a set that does not depend on the order in which they come. Radix selection, on the bits of the score (none is below
 * zero, so that they are in its order), then of the index: at each digit, what is above that of the k-th is chosen, and
 * what is equal is looked at again.
 */
function choose(index: usize, score: usize, length: usize, k: usize, into: usize, counts: usize): void {
  let size = length;
  let wanted = k;
  for (let level: u32 = 0; size > wanted; level++) {
    memory.fill(counts, 0, digits << 2);
    for (let place: usize = 0; place < size; place++) {
      const counter = at(counts, digit(level, load<u32>(at(score, place)), load<u32>(at(index, place))));
      store<u32>(counter, load<u32>(counter) + 1);
    }
    let least = digits - 1;
    let above: usize = 0;
    for (;;) {
      const here: usize = load<u32>(at(counts, least));
      if (above + here >= wanted) break;
      above += here;
      least--;
    }
    let equal: usize = 0;
    for (let place: usize = 0; place < size; place++) {
      const own = load<u32>(at(index, place));
      const bits = load<u32>(at(score, place));
      const value = digit(level, bits, own);
      if (value > least) {
        store<u32>(into, own);
        into += 4;
      } else if (value == least) {
        store<u32>(at(index, equal), own);
        store<u32>(at(score, equal), bits);
        equal++;
      }
    }
    wanted -= above;
    size = equal;
  }
  memory.copy(into, index, size << 2);
}

/** From the leading to the last: three digits of the score, then three of the index, where less is better. */
function digit(level: u32, score: u32, index: u32): usize {
  const word = level < 3 ? score : ~index;
  const place = level < 3 ? level : level - 3;
  return place == 0 ? word >>> 21 : place == 1 ? (word >>> 10) & 2047 : word & 1023;
}
