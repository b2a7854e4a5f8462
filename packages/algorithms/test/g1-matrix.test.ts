import { afterAll, describe, expect, test } from 'vitest';
import { beginSort } from '../src/g1/data/counting-sort.ts';
import { buildMatrix, type MatrixOptions } from '../src/g1/data/matrix.ts';
import { rarestFirst, sourcesOf } from '../src/g1/fit/sources.ts';
import { emptySupport, findSupport } from '../src/g1/fit/support.ts';
import {
  type Executor,
  type Interactions,
  InteractionsBuilder,
  seededRandom,
  sequential,
} from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import { inBlocks } from './in-blocks.ts';
import { matrixReference, sourcesReference } from './reference-matrix.ts';
import { eventsOf, incidenceOf, syntheticEvents } from './synthetic-data.ts';

const users = 400;
const items = 30;

/** Repeated events, values that round to 0 or are below it, and users without events, the last of all among them. */
function mixedEvents(types: number): Interactions {
  const random = seededRandom(5);
  const builder = new InteractionsBuilder();
  const values = [1, 0.3, 7, 1e-44, 0, -2];
  for (let user = 0; user < users - 2; user++)
    for (let event = user % 5 === 0 ? 40 : 0; event < 40 + (user % 31); event++) {
      const value = values[Math.floor(random() ** 2 * values.length)]!;
      builder.push(user, Math.floor(random() * items), Math.floor(random() * types), value, event);
    }
  return builder.build({ ordered: true, users, items: items + 2 });
}

const userAttributes = (rows: number) =>
  incidenceOf(
    Array.from({ length: rows }, (_, user) => [user % 3, 3 + (user % 2)].slice(user % 4 === 0 ? 1 : 0)),
    6,
  );

const variants: [name: string, events: Interactions, options: MatrixOptions][] = [
  ['one event type', mixedEvents(1), { typeWeights: [1] }],
  ['three event types', mixedEvents(3), { typeWeights: [1, 0.4, 1e-40], outcome: 0.3 }],
  ['other types that count for nothing', mixedEvents(3), { typeWeights: [1, 0, 0] }],
  ['other types that are no outcome', mixedEvents(2), { typeWeights: [1, 0.4] }],
  [
    'attributes of some users',
    mixedEvents(2),
    { typeWeights: [1, 0.4], outcome: 1, userAttributes: userAttributes(users - 100) },
  ],
  [
    'attributes of more users than have records',
    mixedEvents(1),
    { typeWeights: [1], userAttributes: userAttributes(users + 9) },
  ],
  ['more items than users', syntheticEvents({ users: 20, items: 300, perUser: 12 }), { typeWeights: [1] }],
  ['three users', eventsOf([[1, 0, 1], [], [0]]), { typeWeights: [1] }],
  ['no users', eventsOf([]), { typeWeights: [1] }],
];

const threads = [1, 2, 3].map((count) => startThreads(count));
afterAll(() => Promise.all(threads.map((each) => each.close())));
const executors: [name: string, executor: Executor][] = [
  ['this thread', sequential],
  ['blocks of one element, the last first', inBlocks(1)],
  ['blocks of seven', inBlocks(7)],
  ...threads.map((each, index): [string, Executor] => [`${index + 1} threads`, each]),
];

/** Every array as its bytes, in hexadecimal. */
const bytesOf = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [
      name,
      ArrayBuffer.isView(each)
        ? Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString('hex')
        : each,
    ]),
  );

describe.each(variants)('with %s', (_, events, options) => {
  const reference = matrixReference(events, options);

  test.each(executors)('the matrix equals the reference to the byte in %s', async (_name, executor) => {
    const matrix = await buildMatrix(events, options, executor);
    expect(bytesOf(matrix)).toEqual(bytesOf(reference));
    expect(matrix.columnTarget === matrix.columnWeight).toBe(
      reference.columnTarget === reference.columnWeight,
    );
  });

  test.each(executors)('the sources equal the reference to the byte in %s', async (_name, executor) => {
    const support = emptySupport(reference.tokens, 12);
    await findSupport(reference, support, sequential);
    const all = rarestFirst(reference.degree);
    for (const order of [all, all.filter((token) => token >= reference.items), all.subarray(0, 0)])
      expect(bytesOf(await sourcesOf(support, reference.items, order, executor))).toEqual(
        bytesOf(sourcesReference(support, reference.items, order)),
      );
  });
});

describe('a counting sort', () => {
  const sortOf = async (rows: number, columns: number, cellsOf: (row: number) => number) => {
    const begin = new Uint32Array(rows + 1);
    for (let row = 0; row < rows; row++) begin[row + 1] = begin[row]! + cellsOf(row);
    const column = Uint32Array.from({ length: begin[rows]! }, (_, cell) => cell % columns);
    const { sort } = await beginSort({ rows, begin, end: begin.subarray(1), column }, columns, sequential);
    return { ...sort, cells: column.length };
  };

  test('has several parts with about the same number of cells', async () => {
    const { parts, cells } = await sortOf(1000, 10, (row) => (row < 100 ? 55 : 5));
    expect(parts.length - 1).toBeGreaterThanOrEqual(8);
    expect(parts.length - 1).toBeLessThanOrEqual(9);
    expect(parts.at(-1)).toBe(1000);
    // An eighth of the cells are in so few rows.
    expect(parts[1]).toBe(Math.floor(cells / 8 / 55));
  });

  test('has cursors of at most about a byte per cell', async () => {
    for (const columns of [10, 100, 1000, 10_000]) {
      const { cursor, cells } = await sortOf(1000, columns, () => 10);
      expect(cursor.byteLength).toBeLessThanOrEqual(Math.max(1.2 * cells, 4 * columns));
    }
  });
});
