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
import { expect, onTestFinished, test } from 'vitest';
import { LinesUnderWay } from '../src/import/lines-under-way.ts';
import { RejectedFile } from '../src/import/rejected.ts';
import { Desk, type Ended, gone, StandIn } from './stand-in.ts';

async function open(): Promise<{ service: StandIn; desk: Desk }> {
  const service = await StandIn.open();
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, desk: new Desk(service) };
}

/** Rows 6 and 7 are refused. */
const users = (count: number, name = 'Ann') =>
  `user_id,name\n${Array.from({ length: count }, (_, n) => `${n === 5 || n === 6 ? 'bad' : 'u'}${n},${name}\n`).join('')}`;

/** Has the service keep the call that follows the first `calls` waiting, and then ends the command as Ctrl-C does. */
async function interrupt(
  { service, desk }: { service: StandIn; desk: Desk },
  calls: number,
  args: readonly string[],
  input?: string,
): Promise<Ended> {
  const { promise: waiting, resolve } = Promise.withResolvers<true>();
  let seen = 0;
  service.answering = ({ path }) => {
    if (!path.startsWith('/upsert') || seen++ < calls) return undefined;
    resolve(true);
    return 'never';
  };
  const ended = await desk.run([...args, '--concurrency', '1'], {
    ...(input !== undefined && { input }),
    async during(child) {
      await waiting;
      child.kill('SIGINT');
    },
  });
  service.answering = () => undefined;
  return ended;
}

/** The options that a message says to give. */
function advised(stderr: string): string[] {
  return /with (--dataset \S+?(?: --skip-rows \d+)?)\.\n/.exec(stderr)?.[1]?.split(' ') ?? [];
}

/** From now on the service has the dataset that was created, for a command that names it. */
function listCreated(service: StandIn): void {
  const user_datasets = [{ user_dataset_id: service.created[0], name: 'x' }];
  service.answering = ({ path }) =>
    path === '/list-user-datasets'
      ? { status: 200, body: { user_datasets, next_page_token: null } }
      : undefined;
}

function rejectedRows(path: string): number[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { row: number }).row);
}

test('an import from stdin goes on as its message says: in its dataset, and with what was rejected', async () => {
  const place = await open();
  const { service, desk } = place;
  const cut = await interrupt(place, 2, ['import', 'users', '-', '--create', 'x'], users(5000));
  expect(cut).toMatchObject({ code: 130 });
  expect(advised(cut.stderr)).toEqual(['--dataset', service.created[0], '--skip-rows', '2000']);
  listCreated(service);
  const resumed = await desk.run(['import', 'users', '-', ...advised(cut.stderr)], { input: users(5000) });
  expect(resumed).toMatchObject({ code: 5 });
  expect(resumed.stdout).toContain('3,000 rows');
  expect(service.created).toHaveLength(1);
  expect(service.written.size).toBe(4998);
  expect(rejectedRows(desk.path('stdin.rejected.ndjson'))).toEqual([6, 7]);
});

test('an import from stdin that has done nothing yet is not told to skip anything', async () => {
  const place = await open();
  const cut = await interrupt(place, 0, ['import', 'users', '-', '--create', 'x'], users(5000));
  expect(advised(cut.stderr)).toEqual(['--dataset', place.service.created[0]]);
});

test.each([
  ['encoding', ['--encoding', 'latin1'], []],
  ['number of rows to skip', ['--skip-rows', '10'], []],
  ['header', [], ['--columns', 'user_id,name']],
])('an import does not go on with another %s', async (_, first, second) => {
  const place = await open();
  const { service, desk } = place;
  writeFileSync(desk.path('users.csv'), users(3000, 'Amélie'));
  await interrupt(place, 1, ['import', 'users', 'users.csv', '--create', 'x', ...first]);
  const again = await desk.run(['import', 'users', 'users.csv', '--create', 'x', ...second]);
  expect(again).toMatchObject({ code: 5 });
  expect(again.stderr).toContain('begins at the first row');
  expect(service.written.get('u0')).toMatchObject({ attributes: { name: 'Amélie' } });
});

test('an import whose dataset is gone is told how to begin anew', async () => {
  const place = await open();
  const { service, desk } = place;
  writeFileSync(desk.path('users.csv'), users(3000));
  const args = ['import', 'users', 'users.csv', '--create', 'x'];
  await interrupt(place, 1, args);
  service.answering = ({ path, body }) =>
    path.startsWith('/upsert') && body['user_dataset_id'] === service.created[0] ? gone : undefined;
  const lost = await desk.run(args);
  expect(lost).toMatchObject({ code: 4 });
  expect(lost.stderr).toMatch(/next: Give the same command with --restart/);
  expect(await desk.run([...args, '--restart'])).toMatchObject({ code: 5 });
});

test('no dataset is created when it cannot be noted how far an import is', async () => {
  const { service, desk } = await open();
  writeFileSync(desk.path('users.csv'), users(3));
  mkdirSync(desk.path('users.csv.import-state.json'));
  const refused = await desk.run(['import', 'users', 'users.csv', '--create', 'x']);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('`tastegraph import users - … < users.csv`');
  expect(service.created).toEqual([]);
});

test('more rows to skip than there are is said', async () => {
  const { desk } = await open();
  writeFileSync(desk.path('users.csv'), users(3));
  const ended = await desk.run(['import', 'users', 'users.csv', '--create', 'x', '--skip-rows', '50']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('has 3 rows only');
});

test('rejected records are mended and imported as the message says', async () => {
  const { service, desk } = await open();
  writeFileSync(desk.path("ann's.csv"), `${users(10)}short\n`);
  const first = await desk.run(['import', 'users', "ann's.csv", '--create', 'x']);
  expect(first).toMatchObject({ code: 5 });
  const [, jq = '', again = ''] = /\n {2}(jq .*)\n {2}tastegraph (import .*)\n/.exec(first.stderr) ?? [];
  // The same without jq, which a machine may not have.
  const print = 'for (const { record } of lines) if (record) console.log(JSON.stringify(record))';
  const read = 'fs.readFileSync(process.argv[1], "utf8").trim().split("\\n").map(JSON.parse)';
  expect(jq).toContain("jq -c '.record // empty' ");
  const script = `jq() { node -e 'const lines = ${read}; ${print}' "$3"; }; ${jq}`;
  expect(await desk.shell(script)).toMatchObject({ code: 0 });
  const records = readFileSync(desk.path('mended.ndjson'), 'utf8');
  writeFileSync(desk.path('mended.ndjson'), records.replaceAll('bad', 'good'));
  listCreated(service);
  expect(await desk.run(again.split(' '))).toMatchObject({ code: 0 });
  expect(service.written.get('good5')).toEqual({ user_id: 'good5', attributes: { name: 'Ann' } });
});

test('the file of rejected records takes the place of nothing else', async () => {
  const { service, desk } = await open();
  writeFileSync(desk.path('users.csv'), users(10));
  symlinkSync(desk.path('users.csv'), desk.path('link'));
  writeFileSync(desk.path('notes.txt'), 'mine');
  for (const [path, reason] of [
    ['users.csv', 'is the source itself'],
    ['link', 'is the source itself'],
    ['notes.txt', 'holds something other'],
    ['.', 'is a folder'],
    ['nowhere/rejected', 'no folder nowhere'],
  ] as const) {
    const refused = await desk.run(['import', 'users', 'users.csv', '--create', 'x', '--rejected', path]);
    expect(refused, path).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(reason);
  }
  const fromStdin = await desk.shell('tastegraph import users - --create x --rejected users.csv < users.csv');
  expect(fromStdin).toMatchObject({ code: 2 });
  expect(service.created).toEqual([]);
  expect(readFileSync(desk.path('users.csv'), 'utf8')).toBe(users(10));
  expect(readFileSync(desk.path('notes.txt'), 'utf8')).toBe('mine');

  const args = ['import', 'users', 'users.csv', '--create', 'x', '--rejected'];
  for (let run = 0; run < 2; run += 1)
    expect(await desk.run([...args, 'bad.ndjson'])).toMatchObject({ code: 5 });
  expect(rejectedRows(desk.path('bad.ndjson'))).toEqual([6, 7]);
  symlinkSync('bad.ndjson', desk.path('to-bad'));
  expect(await desk.run([...args, 'to-bad'])).toMatchObject({ code: 5 });
  expect(rejectedRows(desk.path('bad.ndjson'))).toEqual([6, 7]);
  expect(lstatSync(desk.path('to-bad')).isSymbolicLink()).toBe(true);
});

test('what is no file is written to, and stays', async () => {
  const { desk } = await open();
  const pipe = desk.path('pipe');
  await desk.shell('mkfifo pipe');
  // Somebody who reads it, so that opening it does not wait for one.
  const reader = openSync(pipe, constants.O_RDWR);
  for (const rowsDone of [0, 10]) {
    const file = await RejectedFile.open(pipe, rowsDone);
    file.add({ row: 1, line: 2, code: 'ID_INVALID', message: 'is bad' });
    file.close();
  }
  closeSync(reader);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('a row that is far behind is still known by its line', () => {
  const lines = new LinesUnderWay();
  for (let index = 0; index < 1_000_000; index += 1) lines.set(index, index + 2);
  expect(lines.get(5)).toBe(7);
  lines.forgetBefore(999_500);
  expect([lines.get(5), lines.get(999_499), lines.get(999_500)]).toEqual([0, 999_501, 999_502]);
});
