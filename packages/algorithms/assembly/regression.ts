// AssemblyScript; `npm run generate` compiles it into src/g1/regression-code.ts. src/g1/fit.ts describes what it
// computes and lays out the memory. Arrays are addresses in that memory: of u32 (offsets, indices), f32 (weights) or
// f64 (norm and penalty).

/** The address of a four-byte element. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/**
 * Coordinate descent for the targets from `from` to `to` of `order`. `residual` has one number per row, zero before and
 * after. Products are single precision and sums double; two running sums let an addition start before the previous one
 * finishes.
 */
export function fit(
  from: usize,
  to: usize,
  sweeps: u32,
  rows: usize,
  order: usize,
  columnOffsets: usize,
  columnRow: usize,
  scaled: usize,
  scaledWanted: usize,
  norm: usize,
  penalty: usize,
  sourceOffsets: usize,
  firstPlace: usize,
  source: usize,
  fitted: usize,
  residual: usize,
): void {
  for (let turn = from; turn < to; turn++) {
    const target: usize = load<u32>(at(order, turn));
    const begin = <usize>load<u32>(at(sourceOffsets, target)) - firstPlace;
    const end = <usize>load<u32>(at(sourceOffsets, target + 1)) - firstPlace;
    if (begin == end) continue;
    const wantedEnd: usize = load<u32>(at(columnOffsets, target + 1));
    for (let cell: usize = load<u32>(at(columnOffsets, target)); cell < wantedEnd; cell++)
      store<f32>(at(residual, load<u32>(at(columnRow, cell))), load<f32>(at(scaledWanted, cell)));

    for (let sweep: u32 = 0; sweep < sweeps; sweep++)
      for (let place = begin; place < end; place++) {
        const token: usize = load<u32>(at(source, place));
        const first: usize = load<u32>(at(columnOffsets, token));
        const rowEnd = at(columnRow, load<u32>(at(columnOffsets, token + 1)));
        let row = at(columnRow, first);
        let value = at(scaled, first);
        let even: f64 = 0;
        let odd: f64 = 0;
        for (; row + 4 < rowEnd; row += 8, value += 8) {
          even += <f64>(load<f32>(value) * load<f32>(at(residual, load<u32>(row))));
          odd += <f64>(load<f32>(value, 4) * load<f32>(at(residual, load<u32>(row, 4))));
        }
        if (row < rowEnd) even += <f64>(load<f32>(value) * load<f32>(at(residual, load<u32>(row))));
        const before = load<f32>(at(fitted, place));
        const own = load<f64>(norm + (token << 3));
        const dot = even + odd + <f64>before * own;
        // Rounded to the stored precision, so that the residual matches the weights that are kept.
        const after = <f32>(dot / (own + load<f64>(penalty + (token << 3))));
        const step = after - before;
        if (step == 0) continue;
        store<f32>(at(fitted, place), after);
        row = at(columnRow, first);
        value = at(scaled, first);
        for (; row < rowEnd; row += 4, value += 4) {
          const rest = at(residual, load<u32>(row));
          store<f32>(rest, load<f32>(rest) - step * load<f32>(value));
        }
      }
    clear(target, begin, end, rows, columnOffsets, columnRow, source, residual);
  }
}

/** Resets the residual to zero for the next target, at a cost no higher than the number of entries touched. */
function clear(
  target: usize,
  begin: usize,
  end: usize,
  rows: usize,
  columnOffsets: usize,
  columnRow: usize,
  source: usize,
  residual: usize,
): void {
  // A contiguous fill is about eight times as fast as scattered writes.
  const few = rows >> 3;
  let touched: usize = 0;
  for (let place = begin; place < end && touched <= few; place++) {
    const token: usize = load<u32>(at(source, place));
    touched += load<u32>(at(columnOffsets, token + 1)) - load<u32>(at(columnOffsets, token));
  }
  if (touched > few) {
    memory.fill(residual, 0, rows << 2);
    return;
  }
  wipe(target, columnOffsets, columnRow, residual);
  for (let place = begin; place < end; place++)
    wipe(load<u32>(at(source, place)), columnOffsets, columnRow, residual);
}

function wipe(token: usize, columnOffsets: usize, columnRow: usize, residual: usize): void {
  const end: usize = load<u32>(at(columnOffsets, token + 1));
  for (let cell: usize = load<u32>(at(columnOffsets, token)); cell < end; cell++)
    store<f32>(at(residual, load<u32>(at(columnRow, cell))), 0);
}
