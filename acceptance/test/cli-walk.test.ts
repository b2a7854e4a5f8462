import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { Workplace } from './command-line.ts';

const place = new Workplace();
beforeAll(() => place.logIn());

/** Readers of two kinds of books, who read on in their kind. */
function writeShop(): void {
  const books = Array.from(
    { length: 30 },
    (_, book) => `b${book},${book % 2 === 0 ? 'crime' : 'travel'},Book ${book}`,
  );
  writeFileSync(place.path('books.csv'), `bookId,kind,title\n${books.join('\n')}\n`);
  const readers = Array.from({ length: 80 }, (_, reader) =>
    JSON.stringify({ user_id: `u${reader}`, age: 20 + reader }),
  );
  writeFileSync(place.path('readers.ndjson'), `${readers.join('\n')}\n`);
  const readings = Array.from({ length: 640 }, (_, index) => {
    const reader = index % 80;
    const book = ((reader * 3 + Math.floor(index / 80) * 2) % 15) * 2 + (reader % 2);
    return `u${reader}\tb${book}\t${1_750_000_000 + index * 60}\tread`;
  });
  writeFileSync(place.path('readings.tsv'), `user\tbook_id\ttime\taction\n${readings.join('\n')}\n`);
}

interface Trained {
  readonly model: { readonly model_id: string; readonly training: { readonly metrics: object } };
}

// Some twenty commands and six jobs: a busy machine is slow, not wrong.
test('from nothing to recommendations with the command line alone', { timeout: 180_000 }, async () => {
  writeShop();
  expect(statSync(place.path('tastegraph/config.json')).mode & 0o777).toBe(0o600);

  const name = `walk ${Date.now()}`;
  expect(await place.json(['import', 'users', 'readers.ndjson', '--create', `${name} u`])).toMatchObject({
    written: 80,
  });
  expect(await place.json(['import', 'items', 'books.csv', '--create', `${name} i`])).toMatchObject({
    written: 30,
  });
  const events = await place.run(['import', 'events', 'readings.tsv', '--create', `${name} e`]);
  expect(events).toMatchObject({ code: 0 });
  // The mapping is shown, with what it makes of the first rows, and that ids are made.
  expect(events.stderr).toMatch(/ts +time +time in seconds +2025-06-15T15:06:40\.000Z/);
  expect(events.stderr).toContain('count once');
  expect(events.stdout).toContain('640 written, 0 rejected');
  expect(existsSync(place.path('readings.tsv.import-state.json'))).toBe(false);

  const { datasets } = await place.json<{ datasets: { name: string; record_count: number }[] }>(['datasets']);
  const counts = new Map(datasets.map((one) => [one.name, one.record_count]));
  expect(['u', 'i', 'e'].map((kind) => counts.get(`${name} ${kind}`))).toEqual([80, 30, 640]);

  const joined = [
    '--users',
    `${name} u`,
    '--items',
    `${name} i`,
    '--events',
    `${name} e`,
    '--target',
    'read',
  ];
  const { project_id } = await place.json<{ project_id: string }>(['project', 'create', name, ...joined]);
  const project = ['--project', project_id];
  expect((await place.run(['project', 'list'])).stdout).toContain(project_id);

  const { stdout, stderr, code } = await place.run(['train', ...project, '--watch', '--name', 'spring']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/(reading|searching|fitting|done) \d+ %/);
  expect(stdout).toMatch(/recall@20 +\d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\) +\d\.\d{3} \(/);
  const again = await place.json<Trained>(['train', ...project, '--watch', '--name', 'summer']);
  expect(again.model).toMatchObject({ name: 'summer', training: { metrics: { model: {}, popularity: {} } } });
  expect(await place.json(['models', ...project])).toMatchObject({
    models: [{ name: 'summer' }, { name: 'spring' }],
  });

  const early = await place.run(['recommend', 'u1', ...project]);
  expect(early).toMatchObject({ code: 1 });
  expect(early.stderr).toContain('next: Deploy a model: `tastegraph deploy');

  const deployed = await place.json(['deploy', ...project, '--model', 'latest', '--qps', '100']);
  expect(deployed).toMatchObject({ job_data: { generator_model_id: again.model.model_id } });
  const asked = ['recommend', 'u1', ...project, '--attributes', 'kind,title', '--limit', '3'];
  const shown = await place.run([...asked, '--explain']);
  expect(shown.stdout).toMatch(
    /# +item_id +kind +title +score +because of\n1 +b\d+ +travel +Book \d+ +[\d.e-]+ +\S+ \+/,
  );
  const { results } = await place.json<{ results: { item: { kind: string } }[] }>([
    ...[...asked, '--filter', 'item.kind == "crime"'],
  ]);
  expect(results.map(({ item }) => item.kind)).toEqual(['crime', 'crime', 'crime']);

  const list = await place.run([
    'query',
    'list',
    '--where',
    'kind=travel:0.9..1',
    '--out',
    'list.ndjson',
    ...project,
  ]);
  expect(list.stdout).toMatch(/^40 users with kind = "travel" from 0\.9 to 1\nuser_id +usage\n/);
  const users = readFileSync(place.path('list.ndjson'), 'utf8').trimEnd().split('\n').slice(1);
  expect(users.map((line) => Number((JSON.parse(line) as { user_id: string }).user_id.slice(1)) % 2)).toEqual(
    Array.from({ length: 40 }, () => 1),
  );
  const asks = ['query', 'distribution', 'kind=travel', 'kind=crime', '--bins', '4', '--out', 'usage.json'];
  const usage = await place.run([...asks, ...project]);
  expect(usage.stdout).toMatch(/Usage of kind = "travel" by 80 users:\n0\.000 to 0\.250 █+ +\d+/);
  for (const chart of ['usage-1.svg', 'usage-2.svg'])
    expect(readFileSync(place.path(chart), 'utf8')).toMatch(/^<svg/);
  const groups = await place.run(['cluster', '--min-users', '5', '--out', 'groups.ndjson', ...project]);
  expect(groups.stdout).toMatch(
    /^\d groups of 80 users, 0 unassigned\ngroup +users +cohesion +stands out by +items\n1 +\d+ +[\d.]+ +(travel|crime) +b/,
  );
  const misspelt = await place.run(['query', 'distribution', 'kind=travle', ...project]);
  expect(misspelt).toMatchObject({ code: 1, stdout: '' });
  expect(misspelt.stderr).toContain('did you mean "travel"?');

  const jobs = await place.json<{ jobs: { job_type: string; job_id: string }[] }>(['jobs', ...project]);
  expect(jobs.jobs.map(({ job_type }) => job_type)).toEqual([
    ...['QUERYING', 'CLUSTERING', 'QUERYING', 'QUERYING'],
    ...['DEPLOYMENT', 'TRAINING', 'TRAINING'],
  ]);
  const watched = await place.run(['jobs', 'watch', jobs.jobs[4]?.job_id ?? '', ...project]);
  expect(watched.stdout).toContain(inject('baseUrl'));
  expect((await place.run(['models', 'delete', again.model.model_id, ...project, '--yes'])).stderr).toContain(
    'undeploy',
  );
  expect(await place.run(['undeploy', ...project])).toMatchObject({ code: 0 });
  expect(await place.run(['project', 'delete', name, '--yes'])).toMatchObject({ code: 0 });
  expect(await place.run(['datasets', 'delete', 'events', `${name} e`, '--yes'])).toMatchObject({ code: 0 });
});

test('data that cannot be trained on is said before a training is submitted', async () => {
  writeShop();
  const name = `idle ${Date.now()}`;
  for (const kind of ['users', 'items', 'events'])
    expect(await place.run(['datasets', 'create', kind, `${name} ${kind}`])).toMatchObject({ code: 0 });
  const joined = ['users', 'items', 'events'].flatMap((kind) => [`--${kind}`, `${name} ${kind}`]);
  expect(await place.run(['project', 'create', name, ...joined, '--target', 'read'])).toMatchObject({
    code: 0,
  });
  const { code, stderr } = await place.run(['train', '--project', name, '--watch']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot be trained on: .*event/);
  expect(await place.json(['jobs', '--project', name])).toEqual({ jobs: [] });
});
