import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './command-line.ts';

const place = new Workplace();
beforeAll(() => place.logIn());

interface Imported {
  readonly event_dataset_id: string;
  readonly rows: number;
  readonly rows_before: number;
  readonly written: number;
  readonly rejected: number;
}

async function countRecords(datasetId: string): Promise<number | undefined> {
  const { datasets } = await place.json<{ datasets: { dataset_id: string; record_count: number }[] }>([
    'datasets',
  ]);
  return datasets.find(({ dataset_id }) => dataset_id === datasetId)?.record_count;
}

const rows = 2500;
const csv = (mark: string) =>
  `uid${mark}item_id${mark}ts${mark}type\n${Array.from({ length: rows }, (_, n) =>
    [`u${n % 100}`, `i${n}`, 1_700_000_000_000 + n, 'view'].join(mark),
  ).join('\n')}`;
const ndjson = () =>
  Array.from({ length: rows }, (_, n) =>
    JSON.stringify({
      event_id: `e${n}`,
      user_id: `u${n % 100}`,
      item_id: `i${n}`,
      ts: 1_700_000_000_000 + n,
      event_type: 'view',
    }),
  ).join('\n');
const parquet = () =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'user_id', data: Array.from({ length: rows }, (_, n) => `u${n % 100}`), type: 'STRING' },
        { name: 'item_id', data: Array.from({ length: rows }, (_, n) => n), type: 'INT32' },
        {
          name: 'time',
          data: Array.from({ length: rows }, (_, n) => new Date(1_700_000_000_000 + n)),
          type: 'TIMESTAMP',
        },
        { name: 'event_type', data: Array.from({ length: rows }, () => 'view'), type: 'STRING' },
      ],
      rowGroupSize: 1000,
    }),
  );

describe('every format is imported whole', () => {
  test.each([
    ['events.csv', () => Buffer.from(csv(','))],
    ['semicolons.txt', () => Buffer.from(csv(';'))],
    ['events.tsv', () => Buffer.from(csv('\t'))],
    ['events.csv.gz', () => gzipSync(csv(','))],
    ['events.ndjson', () => Buffer.from(ndjson())],
    ['events.jsonl.gz', () => gzipSync(ndjson())],
    ['events.parquet', parquet],
  ] as const)('%s', async (file, bytes) => {
    writeFileSync(place.path(file), bytes());
    const imported = await place.json<Imported>(['import', 'events', file, '--create', file]);
    expect(imported).toMatchObject({ rows, written: rows, rejected: 0 });
    expect(await countRecords(imported.event_dataset_id)).toBe(rows);
  });

  test.each([
    ['plain', () => csv(',')],
    ['gzip', () => gzipSync(ndjson())],
  ] as const)('stdin, %s', async (kind, input) => {
    const args = ['import', 'events', '-', '--create', `stdin ${kind}`, '--json'];
    const { stdout, code } = await place.run(args, { input: input() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows, written: rows });
  });
});

test('what is refused goes to a file, with line, code and reason, and the rest is written', async () => {
  const lines = [
    'user_id,item_id,ts,event_type,event_value',
    'u1,i1,1700000000000,view,1',
    'u2,i2,soon,view,1',
  ];
  lines.push('u3,i3,1700000000002,view', ',i4,1700000000003,view,1', 'u5,"i\n5",1700000000004,view,2');
  lines.push('u6,i6,1700000000005,view,-1', 'u7,i7,1700000000006,view,3', 'u7,i7,1700000000006,view,3');
  writeFileSync(place.path('some-bad.csv'), `${lines.join('\n')}\n`);
  const imported = await place.json<Imported>(
    ['import', 'events', 'some-bad.csv', '--create', 'some bad', '--as', 'ts=ms'],
    5,
  );
  // The two equal lines are one event.
  expect(imported).toMatchObject({
    rows: 8,
    written: 2,
    replaced: 1,
    rejected: 5,
    rejected_file: 'some-bad.csv.rejected.ndjson',
  });
  expect(await countRecords(imported.event_dataset_id)).toBe(2);
  const rejected = readFileSync(place.path('some-bad.csv.rejected.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { line: number; code: string; message: string; record?: object });
  expect(rejected.toSorted((a, b) => a.line - b.line)).toMatchObject([
    {
      line: 3,
      code: 'FIELD_INVALID',
      message: expect.stringContaining('ts') as string,
      record: { user_id: 'u2' },
    },
    {
      line: 4,
      code: 'ROW_MALFORMED',
      message: 'has 4 fields, and the columns are 5',
      text: 'u3,i3,1700000000002,view',
    },
    { line: 5, message: expect.stringContaining('user_id') as string },
    { line: 6, message: expect.stringContaining('item_id') as string },
    // The cell before it has a line break.
    { line: 8, code: 'FIELD_INVALID', message: expect.stringContaining('event_value') as string },
  ]);
});

describe('an import that was cut off', { timeout: 120_000 }, () => {
  const many = 100_000;
  /** Every thousandth time is none. */
  const text = `user_id,item_id,ts,event_type\n${Array.from({ length: many }, (_, n) =>
    [`u${n % 1000}`, `i${n}`, n % 1000 === 999 ? 'never' : 1_700_000_000_000 + n, 'view'].join(','),
  ).join('\n')}\n`;

  async function untilHalfDone(file: string): Promise<number> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const done = rowsDone(file);
      if (done >= many / 4) return done;
    }
  }
  function rowsDone(file: string): number {
    try {
      return (
        JSON.parse(readFileSync(place.path(`${file}.import-state.json`), 'utf8')) as { rows_done: number }
      ).rows_done;
    } catch {
      return 0;
    }
  }

  test.each([
    ['kill -9', 'SIGKILL', null],
    ['Ctrl-C', 'SIGINT', 130],
  ] as const)('by %s goes on where it was, and nothing is lost or doubled', async (_, signal, code) => {
    const file = `${signal}.csv.gz`;
    writeFileSync(place.path(file), gzipSync(text));
    const args = ['import', 'events', file, '--create', signal, '--as', 'ts=ms'];
    let done = 0;
    const cut = await place.run(args, {
      async during(child) {
        done = await untilHalfDone(file);
        // The command is a script that became Node: the process is the one to be killed.
        child.kill(signal);
      },
    });
    expect(cut.code).toBe(code);
    if (code !== null)
      expect(cut.stderr).toMatch(
        /Interrupted\.\nnext: The first [\d,]+ rows are done\. Give the same command again/,
      );
    const resumed = await place.json<Imported>(args, 5);
    expect(resumed.rows_before).toBeGreaterThanOrEqual(done);
    expect(resumed).toMatchObject({ rows: many, rejected: many / 1000 });
    expect(await countRecords(resumed.event_dataset_id)).toBe(many - many / 1000);
    const refused = readFileSync(place.path(`${file}.rejected.ndjson`), 'utf8')
      .trimEnd()
      .split('\n');
    const lines = refused
      .map((line) => (JSON.parse(line) as { line: number }).line)
      .toSorted((a, b) => a - b);
    expect(lines).toEqual(Array.from({ length: many / 1000 }, (__, n) => n * 1000 + 1001));
  });

  test('does not go on with a source that has changed', async () => {
    const file = 'changed.csv';
    writeFileSync(place.path(file), text);
    const args = ['import', 'events', file, '--create', 'changed', '--as', 'ts=ms'];
    await place.run(args, {
      async during(child) {
        await untilHalfDone(file);
        child.kill('SIGINT');
      },
    });
    writeFileSync(place.path(file), text.split('\n').slice(0, 501).join('\n'));
    const { stderr, code } = await place.run(args);
    expect(code).toBe(0);
    expect(stderr).toContain('this import begins at the first row');
  });
});
