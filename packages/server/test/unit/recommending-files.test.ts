import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { formats } from '../../src/batches/formats.ts';
import type { UserAnswer } from '../../src/batches/protocol.ts';

const shape = {
  attributes: ['title', 'price', 'position', 'title'],
  attributeSchema: { price: 'NUMERICAL', title: 'TEXT' },
} as const;
const answers: UserAnswer[] = [
  {
    user_id: 'anna',
    results: [
      { item: { item_id: 'i1', title: 'A, "b"', price: 2.5, position: 9 } },
      { item: { item_id: 'i2', title: ['x', 'y'], price: null, position: 9 } },
    ],
    shortfall: null,
  },
  { user_id: 'nobody', results: [], shortfall: 'None.' },
  {
    user_id: 'ünal',
    results: [{ item: { item_id: 'i1', title: null, price: 'free', position: 9 } }],
    shortfall: null,
  },
];

function encode(format: keyof typeof formats): Buffer {
  const encoder = formats[format].createEncoder(shape);
  return Buffer.concat([
    encoder.encode(answers.slice(0, 1)),
    encoder.encode(answers.slice(1)),
    encoder.end(),
  ]);
}

test('NDJSON has one line per user', () => {
  const lines = encode('NDJSON').toString().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(answers);
});

test('CSV has one row per item, and a column per attribute whose name is free', () => {
  expect(encode('CSV').toString().split('\r\n')).toEqual([
    'user_id,position,item_id,title,price',
    'anna,1,i1,"A, ""b""",2.5',
    'anna,2,i2,"x|y",',
    '"ünal",1,i1,,',
    '',
  ]);
});

test('Parquet has the same rows, with numbers where the schema says so', async () => {
  const bytes = encode('PARQUET');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual([
    { user_id: 'anna', position: 1, item_id: 'i1', title: 'A, "b"', price: 2.5 },
    { user_id: 'anna', position: 2, item_id: 'i2', title: 'x|y', price: null },
    { user_id: 'ünal', position: 1, item_id: 'i1', title: null, price: null },
  ]);
});
