import fc from 'fast-check';

/** The same as the unit "binary" of fast-check, which spends seconds on a map of all code points. */
export const anyCodePoint = fc
  .oneof(
    { weight: 1, arbitrary: fc.nat({ max: 0xd7ff }) },
    { weight: 20, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((code) => String.fromCodePoint(code));
