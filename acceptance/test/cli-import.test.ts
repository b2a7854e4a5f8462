import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import { CliSandbox } from './cli-sandbox.ts';

const cli = new CliSandbox();
beforeAll(() => cli.logIn());

interface Imported {
  readonly event_dataset_id: string;
  readonly rows: number;
  readonly rows_before: number;
  readonly written: number;
  readonly rejected: number;
}

async function countRecords(datasetId: string): Promise<number | undefined> {
  const { datasets } = await cli.json<{ datasets: { dataset_id: string; record_count: number }[] }>([
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

describe('every row is imported, in every format', () => {
  test.each([
    ['events.csv', () => Buffer.from(csv(','))],
    ['semicolons.txt', () => Buffer.from(csv(';'))],
    ['events.tsv', () => Buffer.from(csv('\t'))],
    ['events.csv.gz', () => gzipSync(csv(','))],
    ['events.ndjson', () => Buffer.from(ndjson())],
    ['events.jsonl.gz', () => gzipSync(ndjson())],
    ['events.parquet', parquet],
  ] as const)('%s', async (file, bytes) => {
    writeFileSync(cli.path(file), bytes());
    const imported = await cli.json<Imported>(['import', 'events', file, '--create', file]);
    expect(imported).toMatchObject({ rows, written: rows, rejected: 0 });
    expect(await countRecords(imported.event_dataset_id)).toBe(rows);
  });

  test.each([
    ['plain', () => csv(',')],
    ['gzip', () => gzipSync(ndjson())],
  ] as const)('stdin, %s', async (kind, input) => {
    const args = ['import', 'events', '-', '--create', `stdin ${kind}`, '--json'];
    const { stdout, code } = await cli.run(args, { input: input() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows, written: rows });
  });
});

test('rejected records go to a file with line, code and reason; the others are written', async () => {
  const lines = [
    'user_id,item_id,ts,event_type,event_value',
    'u1,i1,1700000000000,view,1',
    'u2,i2,soon,view,1',
  ];
  lines.push('u3,i3,1700000000002,view', ',i4,1700000000003,view,1', 'u5,"i\n5",1700000000004,view,2');
  lines.push('u6,i6,1700000000005,view,-1', 'u7,i7,1700000000006,view,3', 'u7,i7,1700000000006,view,3');
  writeFileSync(cli.path('some-bad.csv'), `${lines.join('\n')}\n`);
  const imported = await cli.json<Imported>(
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
  const rejected = readFileSync(cli.path('some-bad.csv.rejected.ndjson'), 'utf8')
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
      code: 'MALFORMED_ROW',
      text: 'u3,i3,1700000000002,view',
    },
    { line: 5, message: expect.stringContaining('user_id') as string },
    { line: 6, message: expect.stringContaining('item_id') as string },
    // The previous row contains a line break.
    { line: 8, code: 'FIELD_INVALID', message: expect.stringContaining('event_value') as string },
  ]);
});

describe('an interrupted import', { timeout: 120_000 }, () => {
  const many = 100_000;
  /** Every thousandth row has an invalid time. */
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
        JSON.parse(readFileSync(cli.path(`${file}.import-state.json`), 'utf8')) as { rows_done: number }
      ).rows_done;
    } catch {
      return 0;
    }
  }

  test.each([
    ['kill -9', 'SIGKILL', null],
    ['Ctrl-C', 'SIGINT', 130],
  ] as const)('resumes after %s without losing or duplicating records', async (_, signal, code) => {
    const file = `${signal}.csv.gz`;
    writeFileSync(cli.path(file), gzipSync(text));
    const args = ['import', 'events', file, '--create', signal, '--as', 'ts=ms'];
    let done = 0;
    const cut = await cli.run(args, {
      async during(child) {
        done = await untilHalfDone(file);
        // The script uses exec, so this process is Node itself.
        child.kill(signal);
      },
    });
    expect(cut.code).toBe(code);
    if (code !== null) expect(cut.stderr).toMatch(/^error: .*\nnext: .*[\d,]+ rows .*same command/m);
    const resumed = await cli.json<Imported>(args, 5);
    expect(resumed.rows_before).toBeGreaterThanOrEqual(done);
    expect(resumed).toMatchObject({ rows: many, rejected: many / 1000 });
    expect(await countRecords(resumed.event_dataset_id)).toBe(many - many / 1000);
    const rejected = readFileSync(cli.path(`${file}.rejected.ndjson`), 'utf8')
      .trimEnd()
      .split('\n');
    const lines = rejected
      .map((line) => (JSON.parse(line) as { line: number }).line)
      .toSorted((a, b) => a - b);
    expect(lines).toEqual(Array.from({ length: many / 1000 }, (__, n) => n * 1000 + 1001));
  });

  test('restarts if the source has changed', async () => {
    const file = 'changed.csv';
    writeFileSync(cli.path(file), text);
    const { event_dataset_id } = await cli.json<{ event_dataset_id: string }>([
      'datasets',
      'create',
      'events',
      'changed',
    ]);
    const args = ['import', 'events', file, '--dataset', event_dataset_id, '--as', 'ts=ms'];
    await cli.run(args, {
      async during(child) {
        await untilHalfDone(file);
        child.kill('SIGINT');
      },
    });
    writeFileSync(cli.path(file), text.split('\n').slice(0, 501).join('\n'));
    const { stderr, code } = await cli.run(args);
    expect(code).toBe(0);
    expect(stderr).toContain(`${file}.import-state.json`);
  });
});
