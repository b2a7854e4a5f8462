import { describe, expect, test } from 'vitest';
import { parseRange } from '../../src/jobs/http.ts';

describe('a Range header', () => {
  test.each([
    ['bytes=0-9', { first: 0, last: 9 }],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['BYTES=5-', { first: 5, last: 99 }],
    ['bytes=90-1000', { first: 90, last: 99 }],
    ['bytes=-10', { first: 90, last: 99 }],
    ['bytes=-1000', { first: 0, last: 99 }],
    [' bytes=99-99 ', { first: 99, last: 99 }],
  ])('%j selects part of 100 bytes', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%j is not satisfiable', (header) => {
    expect(parseRange(header, 100)).toBe('beyond');
  });

  test('is not satisfiable for an empty file', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(parseRange(header, 0)).toBe('beyond');
  });

  test.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=9-1',
    'bytes=0-1,5-6',
    'items=0-1',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1-2-3',
    'bytes=1.5-2',
    `bytes=${'9'.repeat(400)}-`,
  ])('%j is invalid, so the whole file is sent', (header) => {
    expect(parseRange(header, 100)).toBeUndefined();
  });
});
