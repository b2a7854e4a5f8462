/** The first and the last byte, both inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * RFC 9110, section 14.2. Undefined means to send the whole file: the header is malformed or has several ranges, which a
 * server need not support. `beyond` means that the range is outside the file.
 */
export function parseRange(header: string | undefined, size: number): Range | 'beyond' | undefined {
  // Fifteen digits are enough for any file, and exact as a number.
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const last = to === '' || from === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'beyond' : { first: Math.max(0, size - Number(to)), last };
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'beyond' : { first, last };
}
