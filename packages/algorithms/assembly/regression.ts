// AssemblyScript; `npm run generate` compiles it into src/g1/fit/regression-code.ts. src/g1/fit/regression.ts describes what it
// computes and lays out the memory. Arrays are addresses in that memory: of u32 (offsets, indices), f32 (weights), f64
// (norm and penalty) or cells: a row as u32 and a weight as f32 in eight bytes, so that a column is in one place.

/** The address of a four-byte element. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/** The address of a cell. */
function cellAt(cells: usize, index: usize): usize {
  return cells + (index << 3);
}

/**
 * Coordinate descent for the targets from `from` to `to` of `order`; `wantedOffsets` and `sourceOffsets` follow the same
 * order. `residual` has one number per row, zero before and after. Products are single precision and sums double; two
 * running sums let an addition start before the previous one finishes.
 */
export function fit(
  from: usize,
  to: usize,
  sweeps: u32,
  rows: usize,
  order: usize,
  columnOffsets: usize,
  cells: usize,
  wantedOffsets: usize,
  wanted: usize,
  norm: usize,
  penalty: usize,
  sourceOffsets: usize,
  source: usize,
  fitted: usize,
  residual: usize,
): void {
  for (let turn = from; turn < to; turn++) {
    const target: usize = load<u32>(at(order, turn));
    const begin: usize = load<u32>(at(sourceOffsets, turn));
    const end: usize = load<u32>(at(sourceOffsets, turn + 1));
    if (begin == end) continue;
    const wantedEnd: usize = load<u32>(at(columnOffsets, target + 1));
    let value = at(wanted, load<u32>(at(wantedOffsets, turn)));
    for (let cell: usize = load<u32>(at(columnOffsets, target)); cell < wantedEnd; cell++, value += 4)
      store<f32>(at(residual, load<u32>(cellAt(cells, cell))), load<f32>(value));

    for (let sweep: u32 = 0; sweep < sweeps; sweep++)
      for (let place = begin; place < end; place++) {
        const token: usize = load<u32>(at(source, place));
        const first = cellAt(cells, load<u32>(at(columnOffsets, token)));
        const last = cellAt(cells, load<u32>(at(columnOffsets, token + 1)));
        let cell = first;
        let even: f64 = 0;
        let odd: f64 = 0;
        for (; cell + 8 < last; cell += 16) {
          even += <f64>(load<f32>(cell, 4) * load<f32>(at(residual, load<u32>(cell))));
          odd += <f64>(load<f32>(cell, 12) * load<f32>(at(residual, load<u32>(cell, 8))));
        }
        if (cell < last) even += <f64>(load<f32>(cell, 4) * load<f32>(at(residual, load<u32>(cell))));
        const before = load<f32>(at(fitted, place));
        const own = load<f64>(norm + (token << 3));
        const dot = even + odd + <f64>before * own;
        // Rounded to the stored precision, so that the residual matches the weights that are kept.
        const after = <f32>(dot / (own + load<f64>(penalty + (token << 3))));
        const step = after - before;
        if (step == 0) continue;
        store<f32>(at(fitted, place), after);
        for (cell = first; cell < last; cell += 8) {
          const rest = at(residual, load<u32>(cell));
          store<f32>(rest, load<f32>(rest) - step * load<f32>(cell, 4));
        }
      }
    clear(target, begin, end, rows, columnOffsets, cells, source, residual, 1);
  }
}

/** Cells whose products are summed in single precision before they are added to a double-precision sum. */
const cellsPerSum: usize = 32;

/**
 * The same for four penalties at once, in the lanes of a vector: reading indices is most of the work, and all lanes share
 * it. `fitted`, `penalty` and `residual` have four numbers where `fit` has one.
 */
export function fitFour(
  from: usize,
  to: usize,
  sweeps: u32,
  rows: usize,
  order: usize,
  columnOffsets: usize,
  cells: usize,
  wantedOffsets: usize,
  wanted: usize,
  norm: usize,
  penalty: usize,
  sourceOffsets: usize,
  source: usize,
  fitted: usize,
  residual: usize,
): void {
  for (let turn = from; turn < to; turn++) {
    const target: usize = load<u32>(at(order, turn));
    const begin: usize = load<u32>(at(sourceOffsets, turn));
    const end: usize = load<u32>(at(sourceOffsets, turn + 1));
    if (begin == end) continue;
    const wantedEnd: usize = load<u32>(at(columnOffsets, target + 1));
    let value = at(wanted, load<u32>(at(wantedOffsets, turn)));
    for (let cell: usize = load<u32>(at(columnOffsets, target)); cell < wantedEnd; cell++, value += 4)
      v128.store(lanesAt(residual, load<u32>(cellAt(cells, cell))), v128.load32_splat(value));

    for (let sweep: u32 = 0; sweep < sweeps; sweep++)
      for (let place = begin; place < end; place++) {
        const token: usize = load<u32>(at(source, place));
        const first = cellAt(cells, load<u32>(at(columnOffsets, token)));
        const last = cellAt(cells, load<u32>(at(columnOffsets, token + 1)));
        let cell = first;
        let low = f64x2.splat(0);
        let high = f64x2.splat(0);
        while (cell < last) {
          const sumEnd = min(last, cellAt(cell, cellsPerSum));
          let even = f32x4.splat(0);
          let odd = f32x4.splat(0);
          for (; cell + 8 < sumEnd; cell += 16) {
            even = f32x4.add(even, product(cell, residual));
            odd = f32x4.add(odd, product(cell + 8, residual));
          }
          if (cell < sumEnd) {
            even = f32x4.add(even, product(cell, residual));
            cell += 8;
          }
          const sum = f32x4.add(even, odd);
          low = f64x2.add(low, f64x2.promote_low_f32x4(sum));
          high = f64x2.add(high, f64x2.promote_low_f32x4(upper(sum)));
        }
        const before = v128.load(lanesAt(fitted, place));
        const own = v128.load64_splat(norm + (token << 3));
        const shrink = penalty + (token << 5);
        low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(before), own));
        high = f64x2.add(high, f64x2.mul(f64x2.promote_low_f32x4(upper(before)), own));
        low = f64x2.div(low, f64x2.add(own, v128.load(shrink)));
        high = f64x2.div(high, f64x2.add(own, v128.load(shrink, 16)));
        const after = v128.shuffle<f64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
        const step = f32x4.sub(after, before);
        if (!v128.any_true(f32x4.ne(step, f32x4.splat(0)))) continue;
        v128.store(lanesAt(fitted, place), after);
        for (cell = first; cell < last; cell += 8) {
          const rest = lanesAt(residual, load<u32>(cell));
          v128.store(rest, f32x4.sub(v128.load(rest), f32x4.mul(step, v128.load32_splat(cell, 4))));
        }
      }
    clear(target, begin, end, rows, columnOffsets, cells, source, residual, 4);
  }
}

/** The address of an element of four lanes. */
function lanesAt(array: usize, index: usize): usize {
  return array + (index << 4);
}

function product(cell: usize, residual: usize): v128 {
  return f32x4.mul(v128.load32_splat(cell, 4), v128.load(lanesAt(residual, load<u32>(cell))));
}

/** The upper two lanes, as the lower two. */
function upper(lanes: v128): v128 {
  return v128.shuffle<f64>(lanes, lanes, 1, 1);
}

/** Resets the residual, of `lanes` numbers per row, to zero for the next target, at a cost no higher than the number of entries touched. */
function clear(
  target: usize,
  begin: usize,
  end: usize,
  rows: usize,
  columnOffsets: usize,
  cells: usize,
  source: usize,
  residual: usize,
  lanes: usize,
): void {
  // A contiguous fill is about eight times as fast as scattered writes.
  const few = rows >> 3;
  let touched: usize = 0;
  for (let place = begin; place < end && touched <= few; place++) {
    const token: usize = load<u32>(at(source, place));
    touched += load<u32>(at(columnOffsets, token + 1)) - load<u32>(at(columnOffsets, token));
  }
  if (touched > few) {
    memory.fill(residual, 0, at(0, rows * lanes));
    return;
  }
  wipe(target, columnOffsets, cells, residual, lanes);
  for (let place = begin; place < end; place++)
    wipe(load<u32>(at(source, place)), columnOffsets, cells, residual, lanes);
}

function wipe(token: usize, columnOffsets: usize, cells: usize, residual: usize, lanes: usize): void {
  let cell: usize = load<u32>(at(columnOffsets, token));
  const end: usize = load<u32>(at(columnOffsets, token + 1));
  if (lanes == 1) for (; cell < end; cell++) store<f32>(at(residual, load<u32>(cellAt(cells, cell))), 0);
  else
    for (; cell < end; cell++) v128.store(lanesAt(residual, load<u32>(cellAt(cells, cell))), f32x4.splat(0));
}
