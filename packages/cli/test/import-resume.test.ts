import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { PendingLines } from '../src/import/pending-lines.ts';
import { RejectedFile } from '../src/import/rejected.ts';
import { type CliRunner, type FakeService, listed, notFound, type RunResult } from './fake-service.ts';
import { open } from './open-cli.ts';

/** The service rejects rows 6 and 7. */
const users = (count: number, name = 'Ann') =>
  `user_id,name\n${Array.from({ length: count }, (_, n) => `${n === 5 || n === 6 ? 'bad' : 'u'}${n},${name}\n`).join('')}`;

/** Leaves the request after the first `calls` without a response, then interrupts the command. */
async function interrupt(
  { service, cli }: { service: FakeService; cli: CliRunner },
  calls: number,
  args: readonly string[],
  input?: string,
): Promise<RunResult> {
  const { promise: waiting, resolve } = Promise.withResolvers<true>();
  let seen = 0;
  service.handler = ({ path }) => {
    if (!path.startsWith('/upsert') || seen++ < calls) return undefined;
    resolve(true);
    return 'never';
  };
  const result = await cli.run([...args, '--concurrency', '1'], {
    ...(input !== undefined && { input }),
    async whileRunning(child) {
      await waiting;
      child.kill('SIGINT');
    },
  });
  service.handler = () => undefined;
  return result;
}

/** The options that the message suggests. */
function suggestedOptions(stderr: string): string[] {
  return /with (--dataset \S+?(?: --skip-rows \d+)?)\.\n/.exec(stderr)?.[1]?.split(' ') ?? [];
}

/** From now on, the service lists the created dataset. */
function listCreated(service: FakeService): void {
  service.handler = ({ path }) => listed(path, 'user', service.created[0]);
}

function rejectedRows(path: string): number[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { row: number }).row);
}

test('an import from stdin can be resumed as its message says, and keeps rejected records', async () => {
  const setup = await open();
  const { service, cli } = setup;
  const interrupted = await interrupt(setup, 2, ['import', 'users', '-', '--create', 'x'], users(5000));
  expect(interrupted).toMatchObject({ code: 130 });
  expect(suggestedOptions(interrupted.stderr)).toEqual([
    '--dataset',
    service.created[0],
    '--skip-rows',
    '2000',
  ]);
  listCreated(service);
  const resumed = await cli.run(['import', 'users', '-', ...suggestedOptions(interrupted.stderr)], {
    input: users(5000),
  });
  expect(resumed).toMatchObject({ code: 5 });
  expect(resumed.stdout).toContain('3,000 rows');
  expect(service.created).toHaveLength(1);
  expect(service.written.size).toBe(4998);
  expect(rejectedRows(cli.path('stdin.rejected.ndjson'))).toEqual([6, 7]);
});

test('an import from stdin without imported rows does not suggest --skip-rows', async () => {
  const setup = await open();
  const interrupted = await interrupt(setup, 0, ['import', 'users', '-', '--create', 'x'], users(5000));
  expect(suggestedOptions(interrupted.stderr)).toEqual(['--dataset', setup.service.created[0]]);
});

test.each([
  ['encoding', ['--encoding', 'latin1'], []],
  ['number of rows to skip', ['--skip-rows', '10'], []],
  ['header', [], ['--columns', 'user_id,name']],
])('an import with another %s is not resumed', async (_, first, second) => {
  const setup = await open();
  const { service, cli } = setup;
  writeFileSync(cli.path('users.csv'), users(3000, 'Amélie'));
  await interrupt(setup, 1, ['import', 'users', 'users.csv', '--create', 'x', ...first]);
  const again = await cli.run(['import', 'users', 'users.csv', '--create', 'x', ...second]);
  expect(again).toMatchObject({ code: 5 });
  expect(again.stderr).toContain('users.csv.import-state.json');
  expect(service.written.get('u0')).toMatchObject({ attributes: { name: 'Amélie' } });
});

test('an import whose dataset was deleted suggests --restart', async () => {
  const setup = await open();
  const { service, cli } = setup;
  writeFileSync(cli.path('users.csv'), users(3000));
  const args = ['import', 'users', 'users.csv', '--create', 'x'];
  await interrupt(setup, 1, args);
  service.handler = ({ path, body }) =>
    path.startsWith('/upsert') && body['user_dataset_id'] === service.created[0] ? notFound : undefined;
  const lost = await cli.run(args);
  expect(lost).toMatchObject({ code: 4 });
  expect(lost.stderr).toMatch(/next: .*--restart/);
  expect(await cli.run([...args, '--restart'])).toMatchObject({ code: 5 });
});

test('no dataset is created if the state file cannot be written', async () => {
  const { service, cli } = await open();
  writeFileSync(cli.path('users.csv'), users(3));
  mkdirSync(cli.path('users.csv.import-state.json'));
  const refused = await cli.run(['import', 'users', 'users.csv', '--create', 'x']);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('`tastegraph import users - … < users.csv`');
  expect(service.created).toEqual([]);
});

test('--skip-rows beyond the end of the file is a usage error', async () => {
  const { cli } = await open();
  writeFileSync(cli.path('users.csv'), users(3));
  const result = await cli.run(['import', 'users', 'users.csv', '--create', 'x', '--skip-rows', '50']);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain('3 rows');
});

test('rejected records can be fixed and imported as the message says', async () => {
  const { service, cli } = await open();
  writeFileSync(cli.path("ann's.csv"), `${users(10)}short\n`);
  const first = await cli.run(['import', 'users', "ann's.csv", '--create', 'x']);
  expect(first).toMatchObject({ code: 5 });
  expect(first.stderr).toMatch(/line +reason +value +records\n7 +is bad/);
  const [, jq = '', again = ''] = /\n {2}(jq .*)\n {2}tastegraph (import .*)\n/.exec(first.stderr) ?? [];
  // Replaces jq, which may not be installed.
  const print = 'for (const { record } of lines) if (record) console.log(JSON.stringify(record))';
  const read = 'fs.readFileSync(process.argv[1], "utf8").trim().split("\\n").map(JSON.parse)';
  expect(jq).toContain("jq -c '.record // empty' ");
  const script = `jq() { node -e 'const lines = ${read}; ${print}' "$3"; }; ${jq}`;
  expect(await cli.shell(script)).toMatchObject({ code: 0 });
  const records = readFileSync(cli.path('fixed.ndjson'), 'utf8');
  writeFileSync(cli.path('fixed.ndjson'), records.replaceAll('bad', 'good'));
  listCreated(service);
  expect(await cli.run(again.split(' '))).toMatchObject({ code: 0 });
  expect(service.written.get('good5')).toEqual({ user_id: 'good5', attributes: { name: 'Ann' } });
});

test('the file of rejected records never replaces any other file', async () => {
  const { service, cli } = await open();
  writeFileSync(cli.path('users.csv'), users(10));
  symlinkSync(cli.path('users.csv'), cli.path('link'));
  writeFileSync(cli.path('notes.txt'), 'mine');
  for (const path of ['users.csv', 'link', 'notes.txt', '.', 'nowhere/rejected']) {
    const refused = await cli.run(['import', 'users', 'users.csv', '--create', 'x', '--rejected', path]);
    expect(refused, path).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('--rejected');
  }
  const fromStdin = await cli.shell('tastegraph import users - --create x --rejected users.csv < users.csv');
  expect(fromStdin).toMatchObject({ code: 2 });
  expect(service.created).toEqual([]);
  expect(readFileSync(cli.path('users.csv'), 'utf8')).toBe(users(10));
  expect(readFileSync(cli.path('notes.txt'), 'utf8')).toBe('mine');

  const args = ['import', 'users', 'users.csv', '--create', 'x', '--rejected'];
  for (let run = 0; run < 2; run += 1)
    expect(await cli.run([...args, 'bad.ndjson'])).toMatchObject({ code: 5 });
  expect(rejectedRows(cli.path('bad.ndjson'))).toEqual([6, 7]);
  symlinkSync('bad.ndjson', cli.path('to-bad'));
  expect(await cli.run([...args, 'to-bad'])).toMatchObject({ code: 5 });
  expect(rejectedRows(cli.path('bad.ndjson'))).toEqual([6, 7]);
  expect(lstatSync(cli.path('to-bad')).isSymbolicLink()).toBe(true);
});

test('rejected records can be written to a pipe, which is not removed', async () => {
  const { cli } = await open();
  const pipe = cli.path('pipe');
  await cli.shell('mkfifo pipe');
  // A reader, so that opening the pipe does not block.
  const reader = openSync(pipe, constants.O_RDWR);
  for (const rowsDone of [0, 10]) {
    const file = await RejectedFile.open(pipe, rowsDone);
    file.add({ row: 1, line: 2, code: 'ID_INVALID', message: 'is bad' });
    file.close();
  }
  closeSync(reader);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('the line of a row is known until the row is acknowledged', () => {
  const lines = new PendingLines();
  for (let index = 0; index < 1_000_000; index += 1) lines.set(index, index + 2);
  expect(lines.get(5)).toBe(7);
  lines.dropBefore(999_500);
  expect([lines.get(5), lines.get(999_499), lines.get(999_500)]).toEqual([0, 999_501, 999_502]);
});
