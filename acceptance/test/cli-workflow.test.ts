import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { CliSandbox } from './cli-sandbox.ts';

const cli = new CliSandbox();
beforeAll(() => cli.logIn());

/** Readers of two kinds of books; each reads only one kind. */
function writeShop(): void {
  const books = Array.from(
    { length: 30 },
    (_, book) => `b${book},${book % 2 === 0 ? 'crime' : 'travel'},Book ${book}`,
  );
  writeFileSync(cli.path('books.csv'), `bookId,kind,title\n${books.join('\n')}\n`);
  const readers = Array.from({ length: 80 }, (_, reader) =>
    JSON.stringify({ user_id: `u${reader}`, age: 20 + reader }),
  );
  writeFileSync(cli.path('readers.ndjson'), `${readers.join('\n')}\n`);
  const readings = Array.from({ length: 640 }, (_, index) => {
    const reader = index % 80;
    const book = ((reader * 3 + Math.floor(index / 80) * 2) % 15) * 2 + (reader % 2);
    return `u${reader}\tb${book}\t${1_750_000_000 + index * 60}\tread`;
  });
  writeFileSync(cli.path('readings.tsv'), `user\tbook_id\ttime\taction\n${readings.join('\n')}\n`);
}

interface Trained {
  readonly model: { readonly model_id: string; readonly training: { readonly metrics: object } };
}

// About twenty commands and six jobs, which may be slow on a busy machine.
test('the command line covers the workflow from files to recommendations', { timeout: 180_000 }, async () => {
  writeShop();
  expect(statSync(cli.path('tastegraph/config.json')).mode & 0o777).toBe(0o600);

  const name = `workflow ${Date.now()}`;
  expect(await cli.json(['import', 'users', 'readers.ndjson', '--create', `${name} u`])).toMatchObject({
    written: 80,
  });
  expect(await cli.json(['import', 'items', 'books.csv', '--create', `${name} i`])).toMatchObject({
    written: 30,
  });
  const events = await cli.run(['import', 'events', 'readings.tsv', '--create', `${name} e`]);
  expect(events).toMatchObject({ code: 0 });
  // Shows the mapping with the first rows, and which fields are generated.
  expect(events.stderr).toMatch(/ts +time +time in seconds +2025-06-15T15:06:40\.000Z/);
  expect(events.stderr).toMatch(/event_id +\(generated\)/);
  expect(events.stdout).toContain('640 written, 0 rejected');
  expect(existsSync(cli.path('readings.tsv.import-state.json'))).toBe(false);

  const { datasets } = await cli.json<{ datasets: { name: string; record_count: number }[] }>(['datasets']);
  const counts = new Map(datasets.map((one) => [one.name, one.record_count]));
  expect(['u', 'i', 'e'].map((kind) => counts.get(`${name} ${kind}`))).toEqual([80, 30, 640]);

  const options = [
    '--users',
    `${name} u`,
    '--items',
    `${name} i`,
    '--events',
    `${name} e`,
    '--target',
    'read',
  ];
  const { project_id } = await cli.json<{ project_id: string }>(['project', 'create', name, ...options]);
  const project = ['--project', project_id];
  expect((await cli.run(['project', 'list'])).stdout).toContain(project_id);

  const { stdout, stderr, code } = await cli.run(['train', ...project, '--watch', '--name', 'spring']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/(reading|searching|fitting|done) \d+ %/);
  expect(stdout).toMatch(/recall@20 +\d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\) +\d\.\d{3} \(/);
  const again = await cli.json<Trained>(['train', ...project, '--watch', '--name', 'summer']);
  expect(again.model).toMatchObject({ name: 'summer', training: { metrics: { model: {}, popularity: {} } } });
  expect(await cli.json(['models', ...project])).toMatchObject({
    models: [{ name: 'summer' }, { name: 'spring' }],
  });

  const early = await cli.run(['recommend', 'u1', ...project]);
  expect(early).toMatchObject({ code: 1 });
  expect(early.stderr).toMatch(/next: .*`tastegraph deploy/);

  const deployed = await cli.json(['deploy', ...project, '--model', 'latest', '--qps', '100']);
  expect(deployed).toMatchObject({ job_data: { generator_model_id: again.model.model_id } });
  const recommend = ['recommend', 'u1', ...project, '--attributes', 'kind,title', '--limit', '3'];
  const shown = await cli.run([...recommend, '--explain']);
  expect(shown.stdout).toMatch(
    /# +item_id +kind +title +score +because of\n1 +b\d+ +travel +Book \d+ +[\d.e-]+ +\S+ \+/,
  );
  const { results } = await cli.json<{ results: { item: { kind: string } }[] }>([
    ...recommend,
    '--filter',
    'item.kind == "crime"',
  ]);
  expect(results.map(({ item }) => item.kind)).toEqual(['crime', 'crime', 'crime']);

  const list = await cli.run([
    'query',
    'list',
    '--where',
    'kind=travel:0.9..1',
    '--out',
    'list.ndjson',
    ...project,
  ]);
  expect(list.stdout).toMatch(/^40 users .*kind = "travel" from 0\.9 to 1\nuser_id +affinity\n/);
  const users = readFileSync(cli.path('list.ndjson'), 'utf8').trimEnd().split('\n').slice(1);
  expect(users.map((line) => Number((JSON.parse(line) as { user_id: string }).user_id.slice(1)) % 2)).toEqual(
    Array.from({ length: 40 }, () => 1),
  );
  const distribution = [
    'query',
    'distribution',
    'kind=travel',
    'kind=crime',
    '--bins',
    '4',
    '--out',
    'affinity.json',
  ];
  const affinity = await cli.run([...distribution, ...project]);
  expect(affinity.stdout).toMatch(/80 users .*kind = "travel":\n0\.000 to 0\.250 █+ +\d+/);
  for (const chart of ['affinity-1.svg', 'affinity-2.svg'])
    expect(readFileSync(cli.path(chart), 'utf8')).toMatch(/^<svg/);
  const grouping = ['cluster', '--min-users', '5', '--out', 'clusters.ndjson', '--table', 'csv'];
  const clusters = await cli.run([...grouping, ...project]);
  expect(clusters.stdout).toMatch(
    /^\d clusters of 80 users, 0 unassigned\ncluster +users +cohesion .*\n1 +\d+ +[\d.]+ +(travel|crime) +b/,
  );
  expect(readFileSync(cli.path('clusters.csv'), 'utf8')).toMatch(/^user_id,cluster_id\r\nu\d+,\d\r\n/);
  const misspelled = await cli.run(['query', 'distribution', 'kind=travle', ...project]);
  expect(misspelled.code).toBe(0);
  expect(misspelled.stderr).toContain('"travel"');

  const jobs = await cli.json<{ jobs: { job_type: string; job_id: string }[] }>(['jobs', ...project]);
  expect(jobs.jobs.map(({ job_type }) => job_type)).toEqual([
    'QUERYING',
    'CLUSTERING',
    'QUERYING',
    'QUERYING',
    'DEPLOYMENT',
    'TRAINING',
    'TRAINING',
  ]);
  const watched = await cli.run(['jobs', 'watch', jobs.jobs[4]?.job_id ?? '', ...project]);
  expect(watched.stdout).toContain(inject('baseUrl'));
  expect((await cli.run(['models', 'delete', again.model.model_id, ...project, '--yes'])).stderr).toContain(
    'undeploy',
  );
  expect(await cli.run(['undeploy', ...project])).toMatchObject({ code: 0 });
  expect(await cli.run(['project', 'delete', name, '--yes'])).toMatchObject({ code: 0 });
  expect(await cli.run(['datasets', 'delete', 'events', `${name} e`, '--yes'])).toMatchObject({ code: 0 });
});

test('train reports insufficient data before it submits a job', async () => {
  writeShop();
  const name = `idle ${Date.now()}`;
  for (const kind of ['users', 'items', 'events'])
    expect(await cli.run(['datasets', 'create', kind, `${name} ${kind}`])).toMatchObject({ code: 0 });
  const options = ['users', 'items', 'events'].flatMap((kind) => [`--${kind}`, `${name} ${kind}`]);
  expect(await cli.run(['project', 'create', name, ...options, '--target', 'read'])).toMatchObject({
    code: 0,
  });
  const { code, stderr } = await cli.run(['train', '--project', name, '--watch']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/event.*\nnext: .*--no-check/);
  expect(await cli.json(['jobs', '--project', name])).toEqual({ jobs: [] });
});
