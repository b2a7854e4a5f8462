// AssemblyScript; `npm run generate` compiles it into src/low-rank/factors-code.ts. src/low-rank/factors.ts describes what it
// computes and lays out the memory. Tall matrices are stored in panels of 32 columns, one after the other: a row of a
// panel is 128 bytes. The order of additions is fixed, so the result does not depend on the number of threads.

/** Bytes of a panel's row. */
const rowBytes: usize = 128;

/** The address of a four-byte element. */
function at(array: usize, index: usize): usize {
  return array + (index << 2);
}

/** A sparse matrix times one panel, for the rows from `from` to `to` of the result. */
export function sparse(
  from: usize,
  to: usize,
  offsets: usize,
  index: usize,
  value: usize,
  panel: usize,
  result: usize,
): void {
  for (let row = from; row < to; row++) {
    let s0 = f32x4.splat(0);
    let s1 = f32x4.splat(0);
    let s2 = f32x4.splat(0);
    let s3 = f32x4.splat(0);
    let s4 = f32x4.splat(0);
    let s5 = f32x4.splat(0);
    let s6 = f32x4.splat(0);
    let s7 = f32x4.splat(0);
    const end: usize = load<u32>(at(offsets, row + 1));
    for (let cell: usize = load<u32>(at(offsets, row)); cell < end; cell++) {
      const other = panel + <usize>load<u32>(at(index, cell)) * rowBytes;
      const weight = v128.load32_splat(at(value, cell));
      s0 = f32x4.add(s0, f32x4.mul(weight, v128.load(other)));
      s1 = f32x4.add(s1, f32x4.mul(weight, v128.load(other, 16)));
      s2 = f32x4.add(s2, f32x4.mul(weight, v128.load(other, 32)));
      s3 = f32x4.add(s3, f32x4.mul(weight, v128.load(other, 48)));
      s4 = f32x4.add(s4, f32x4.mul(weight, v128.load(other, 64)));
      s5 = f32x4.add(s5, f32x4.mul(weight, v128.load(other, 80)));
      s6 = f32x4.add(s6, f32x4.mul(weight, v128.load(other, 96)));
      s7 = f32x4.add(s7, f32x4.mul(weight, v128.load(other, 112)));
    }
    const into = result + row * rowBytes;
    v128.store(into, s0);
    v128.store(into, s1, 16);
    v128.store(into, s2, 32);
    v128.store(into, s3, 48);
    v128.store(into, s4, 64);
    v128.store(into, s5, 80);
    v128.store(into, s6, 96);
    v128.store(into, s7, 112);
  }
}

/** Rows that are summed in single precision before they are added in double: both panels of a chunk stay in the L1 cache. */
const chunkRows: usize = 64;

/**
 * The inner products of the columns of two panels, for the pairs of panels from `from` to `to`: 32 x 32 sums per pair, in
 * double precision. `pairs` has the addresses of both panels of each pair. Adds to `sums`.
 */
export function inner(from: usize, to: usize, pairs: usize, rows: usize, sums: usize): void {
  for (let pair = from; pair < to; pair++) {
    const left: usize = load<u32>(pairs + (pair << 3));
    const right: usize = load<u32>(pairs + (pair << 3), 4);
    const block = sums + (pair << 13);
    for (let first: usize = 0; first < rows; first += chunkRows) {
      const count = min(chunkRows, rows - first);
      const a = left + first * rowBytes;
      const b = right + first * rowBytes;
      for (let i: usize = 0; i < 32; i += 4)
        for (let j: usize = 0; j < 32; j += 8)
          tile(a + (i << 2), b + (j << 2), count, block + (((i << 5) + j) << 3));
    }
  }
}

/** Adds the 4 x 8 inner products of the columns at `a` and at `b` over `count` rows to the sums at `into`. */
function tile(a: usize, b: usize, count: usize, into: usize): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0);
  let s31 = f32x4.splat(0);
  for (const end = a + count * rowBytes; a < end; a += rowBytes, b += rowBytes) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let one = v128.load32_splat(a);
    s00 = f32x4.add(s00, f32x4.mul(one, b0));
    s01 = f32x4.add(s01, f32x4.mul(one, b1));
    one = v128.load32_splat(a, 4);
    s10 = f32x4.add(s10, f32x4.mul(one, b0));
    s11 = f32x4.add(s11, f32x4.mul(one, b1));
    one = v128.load32_splat(a, 8);
    s20 = f32x4.add(s20, f32x4.mul(one, b0));
    s21 = f32x4.add(s21, f32x4.mul(one, b1));
    one = v128.load32_splat(a, 12);
    s30 = f32x4.add(s30, f32x4.mul(one, b0));
    s31 = f32x4.add(s31, f32x4.mul(one, b1));
  }
  addRow(into, s00, s01);
  addRow(into + 256, s10, s11);
  addRow(into + 512, s20, s21);
  addRow(into + 768, s30, s31);
}

/** Adds eight single-precision sums to eight doubles. */
function addRow(into: usize, low: v128, high: v128): void {
  v128.store(into, f64x2.add(v128.load(into), f64x2.promote_low_f32x4(low)));
  v128.store(into, f64x2.add(v128.load(into, 16), f64x2.promote_low_f32x4(swap(low))), 16);
  v128.store(into, f64x2.add(v128.load(into, 32), f64x2.promote_low_f32x4(high)), 32);
  v128.store(into, f64x2.add(v128.load(into, 48), f64x2.promote_low_f32x4(swap(high))), 48);
}

function swap(value: v128): v128 {
  return v128.shuffle<f32>(value, value, 2, 3, 0, 1);
}

/**
 * A tall matrix of `columns` columns times a small one, for groups of four rows of the tall one from `from` to `to`. The
 * small one is in panels too, of `columns` rows each. `isUpper`: the small one is upper triangular. `panelBytes` is the
 * size of a panel of the tall ones, whose number of rows is a multiple of four.
 */
export function transform(
  from: usize,
  to: usize,
  tall: usize,
  small: usize,
  result: usize,
  columns: usize,
  resultPanels: usize,
  panelBytes: usize,
  isUpper: u32,
): void {
  for (let panel: usize = 0; panel < resultPanels; panel++) {
    const depth = isUpper ? min(columns, (panel + 1) << 5) : columns;
    const factors = small + panel * columns * rowBytes;
    for (let group = from; group < to; group++) {
      const row = group * 4 * rowBytes;
      for (let j: usize = 0; j < 32; j += 8)
        product(
          tall + row,
          factors + (j << 2),
          depth,
          panelBytes,
          result + panel * panelBytes + row + (j << 2),
        );
    }
  }
}

/** 4 rows of the tall matrix times 8 columns of the small one. */
function product(tall: usize, small: usize, depth: usize, panelBytes: usize, into: usize): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0);
  let s31 = f32x4.splat(0);
  for (let first: usize = 0; first < depth; first += 32, tall += panelBytes)
    for (let a = tall, end = tall + rowBytes; a < end; a += 4, small += rowBytes) {
      const b0 = v128.load(small);
      const b1 = v128.load(small, 16);
      let one = v128.load32_splat(a);
      s00 = f32x4.add(s00, f32x4.mul(one, b0));
      s01 = f32x4.add(s01, f32x4.mul(one, b1));
      one = v128.load32_splat(a, 128);
      s10 = f32x4.add(s10, f32x4.mul(one, b0));
      s11 = f32x4.add(s11, f32x4.mul(one, b1));
      one = v128.load32_splat(a, 256);
      s20 = f32x4.add(s20, f32x4.mul(one, b0));
      s21 = f32x4.add(s21, f32x4.mul(one, b1));
      one = v128.load32_splat(a, 384);
      s30 = f32x4.add(s30, f32x4.mul(one, b0));
      s31 = f32x4.add(s31, f32x4.mul(one, b1));
    }
  v128.store(into, s00);
  v128.store(into, s01, 16);
  v128.store(into, s10, 128);
  v128.store(into, s11, 144);
  v128.store(into, s20, 256);
  v128.store(into, s21, 272);
  v128.store(into, s30, 384);
  v128.store(into, s31, 400);
}
