// AssemblyScript; `npm run generate` compiles it into src/low-rank/rerank-code.ts. src/low-rank/query.ts lays out the
// memory. Rows are the 8-bit factors of items, `stride` bytes each, a multiple of 16.

/** Adds the rows from `from` to `to`, each times its weight, to the single-precision `sums`. */
export function combine(
  from: usize,
  to: usize,
  stride: usize,
  rows: usize,
  weight: usize,
  sums: usize,
): void {
  for (let row = from; row < to; row++) {
    const factor = v128.load32_splat(weight + (row << 2));
    const first = rows + row * stride;
    for (let k: usize = 0; k < stride; k += 16) {
      const bytes = v128.load(first + k);
      const low = i16x8.extend_low_i8x16_s(bytes);
      const high = i16x8.extend_high_i8x16_s(bytes);
      const into = sums + (k << 2);
      add(into, factor, i32x4.extend_low_i16x8_s(low));
      add(into + 16, factor, i32x4.extend_high_i16x8_s(low));
      add(into + 32, factor, i32x4.extend_low_i16x8_s(high));
      add(into + 48, factor, i32x4.extend_high_i16x8_s(high));
    }
  }
}

function add(into: usize, factor: v128, values: v128): void {
  v128.store(into, f32x4.add(v128.load(into), f32x4.mul(factor, f32x4.convert_i32x4_s(values))));
}

/** The inner product of the 16-bit `query` with each row from `from` to `to`, exactly, in 32 bits. */
export function match(
  from: usize,
  to: usize,
  stride: usize,
  rows: usize,
  query: usize,
  products: usize,
): void {
  for (let row = from; row < to; row++) {
    const first = rows + row * stride;
    let even = i32x4.splat(0);
    let odd = i32x4.splat(0);
    for (let k: usize = 0; k < stride; k += 16) {
      const bytes = v128.load(first + k);
      const at = query + (k << 1);
      even = i32x4.add(even, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes), v128.load(at)));
      odd = i32x4.add(odd, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes), v128.load(at, 16)));
    }
    const sum = i32x4.add(even, odd);
    store<i32>(
      products + (row << 2),
      i32x4.extract_lane(sum, 0) +
        i32x4.extract_lane(sum, 1) +
        i32x4.extract_lane(sum, 2) +
        i32x4.extract_lane(sum, 3),
    );
  }
}
