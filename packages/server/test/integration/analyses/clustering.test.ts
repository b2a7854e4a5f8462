import { describe, expect } from 'vitest';
import {
  type AnalysedProject,
  type Download,
  follow,
  linesOf,
  makeTwoTastes,
  resultOf,
  submitClustering,
  tableRowsOf,
} from '../stack/analysed-project.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { makeProject, trainModel, waitForJob } from '../stack/training.ts';

// Users without events are not clustered.
const project = perFile(() => makeTwoTastes(caller, 200, [{ user_id: 'no-events' }]), test);

interface Summary {
  readonly clusters: number;
  readonly users: number;
  readonly unassigned: number;
}
interface ClusterLine {
  readonly cluster_id: number;
  readonly size: number;
  readonly cohesion: number;
  readonly items: { item_id: string; share: number; share_of_all: number; lift: number }[];
  readonly attributes: { attribute: string; value: unknown; share: number; lift: number }[];
}
interface ClusterMapFile {
  readonly users: number;
  readonly clusters: (ClusterLine & { x: number; y: number; radius: number })[];
  readonly points: { x: number[]; y: number[]; cluster_id: (number | null)[] };
}
interface UserLine {
  readonly user_id: string;
  readonly cluster_id: number | null;
}

/** The lines of a result, by type. */
async function partsOf(result: Download) {
  const lines = await linesOf<object>(caller, result);
  return {
    summary: lines[0] as Summary,
    clusters: lines.filter((line): line is ClusterLine => 'size' in line),
    users: lines.filter((line): line is UserLine => 'user_id' in line),
  };
}

const parity = (id: string) => (Number(id.slice(1)) % 2 === 0 ? 'even' : 'odd');

const cluster = async (of: Pick<AnalysedProject, 'project_id' | 'model_id'> = project, parameters = {}) =>
  resultOf(caller, of.project_id, await submitClustering(caller, of, parameters));

describe('a clustering', () => {
  test('finds the two tastes, says what distinguishes them, and draws a map', async () => {
    const result = await cluster();
    const { summary, clusters, users } = await partsOf(result);
    expect(summary).toEqual({ clusters: 2, users: 200, unassigned: 0 });
    expect(users.map((user) => user.user_id)).toEqual(
      Array.from({ length: 200 }, (_, user) => `u${user}`).toSorted(),
    );
    const parityOf = new Map(clusters.map((one) => [one.cluster_id, one.attributes[0]?.value]));
    for (const { user_id, cluster_id } of users) expect(parityOf.get(cluster_id ?? 0)).toBe(parity(user_id));
    for (const one of clusters) {
      expect(one.size).toBe(users.filter((user) => user.cluster_id === one.cluster_id).length);
      expect(one.cohesion).toBeGreaterThan(0.3);
      expect(one.attributes[0]).toMatchObject({ attribute: 'parity', share: 1 });
      expect(one.items.length).toBeGreaterThan(0);
      for (const { item_id, share, share_of_all, lift } of one.items) {
        expect(parity(item_id)).toBe(parityOf.get(one.cluster_id));
        expect(share).toBeGreaterThan(share_of_all);
        expect(lift).toBeGreaterThan(1);
      }
    }
    expect(result.message).toBeNull();
    expect(result.chart_urls).toHaveLength(1);
    const chart = await follow(caller, result.chart_urls?.[0] ?? '');
    expect(chart.headers.get('content-type')).toBe('image/svg+xml');
    expect(await chart.text()).toMatch(/^<svg xmlns.*\b200 users\b.*\b2 clusters\b/s);
  });

  test('has the map as JSON too: the clusters of the result with their positions, and no user IDs', async () => {
    const result = await cluster();
    const { clusters } = await partsOf(result);
    const file = await follow(caller, result.map_url ?? '');
    expect(file.headers.get('content-type')).toBe('application/json');
    const map = (await file.json()) as ClusterMapFile;
    expect(map.users).toBe(200);
    expect(map.clusters).toEqual(clusters.map((one) => expect.objectContaining(one) as unknown));
    for (const { x, y, radius } of map.clusters)
      for (const place of [x, y, radius]) expect(Number.isFinite(place)).toBe(true);
    const { points } = map;
    expect(points.x.length).toBeGreaterThan(0);
    expect([points.y.length, points.cluster_id.length]).toEqual([points.x.length, points.x.length]);
    const ids = new Set(clusters.map(({ cluster_id }) => cluster_id));
    for (const id of points.cluster_id) expect(id === null || ids.has(id)).toBe(true);
    expect(JSON.stringify(map)).not.toContain('user_id');
  });

  test('has a table of the users too, and keeps the cluster IDs of a result without one', async () => {
    const before = await partsOf(await cluster());
    const job = await submitClustering(caller, project, {}, { table_format: 'PARQUET' });
    const result = await resultOf(caller, project.project_id, job);
    const { users } = await partsOf(result);
    expect(users).toEqual(before.users);
    expect(await tableRowsOf(caller, result)).toEqual(users);
    expect(result.chart_urls).toHaveLength(1);
    expect((await follow(caller, result.map_url ?? '')).headers.get('content-type')).toBe('application/json');
  });

  test('of the same model and parameters gives the same bytes', async () => {
    const [one, other] = [await cluster(), await cluster()];
    const bytes = async ({ download_url }: Download) => (await follow(caller, download_url)).text();
    expect(await bytes(other)).toBe(await bytes(one));
  });

  test('deletes groups that are too small, and says so', async () => {
    const result = await cluster(project, { min_user_num: 101 });
    expect((await partsOf(result)).summary).toEqual({ clusters: 0, users: 200, unassigned: 200 });
    expect(result.message).toMatch(/\b2 clusters\b.*\b101 users\b.*\b200 users\b/);
    for (const { cluster_id } of (await partsOf(result)).users) expect(cluster_id).toBeNull();
  });

  test('treats a min_user_num of 0 as no minimum, like 1', async () => {
    const [none, one] = [
      await cluster(project, { min_user_num: 0 }),
      await cluster(project, { min_user_num: 1 }),
    ];
    expect((await partsOf(none)).summary).toEqual((await partsOf(one)).summary);
    expect(none.message).toBe(one.message);
  });

  test('keeps the IDs of the same groups after the next training, and gives new groups unused IDs', async () => {
    const before = await partsOf(await cluster());
    const events = Array.from({ length: 100 }, (_, index) => ({
      event_id: `more${index}`,
      user_id: `u${index}`,
      item_id: `i${(index % 2) + 2 * (index % 7)}`,
      ts: 1_750_000_000_000 + index,
      event_type: 'buy',
    }));
    await caller.call('upsertDatasetEvents', { event_dataset_id: project.event_dataset_id, events });
    const next = { ...project, model_id: await trainModel(caller, project) };
    const after = await partsOf(await cluster(next));
    const idOf = new Map(before.users.map((user) => [user.user_id, user.cluster_id]));
    for (const { user_id, cluster_id } of after.users) expect(cluster_id).toBe(idOf.get(user_id));
    // Half of all users belong to one old group: it keeps its ID, and the other's is not reused.
    const whole = await partsOf(await cluster(next, { max_clusters: 1 }));
    expect(after.clusters.map((one) => one.cluster_id)).toContain(whole.clusters[0]?.cluster_id);
    // As before the intermediate clustering: it is the same model with the same parameters.
    expect((await partsOf(await cluster(next))).clusters).toEqual(after.clusters);
  });

  test('of a project whose earlier result no longer exists starts over with unused IDs', async () => {
    const of = await makeTwoTastes(caller, 100);
    const first = await cluster(of);
    const [row] = await api.rows<{ object_key: string }>(
      `SELECT job_result->'files'->0->>'object_key' AS object_key FROM jobs JOIN projects USING (project_key)
        WHERE project_id = $1 AND job_type = 'CLUSTERING'`,
      [of.project_id],
    );
    const used = (await partsOf(first)).clusters.map((one) => one.cluster_id);
    await api.store.delete(row?.object_key ?? '');
    const second = await cluster(of);
    const ids = (await partsOf(second)).clusters.map((one) => one.cluster_id);
    expect(ids.filter((id) => used.includes(id))).toEqual([]);
    expect(second.message).toEqual(expect.any(String));
  });
});

describe('the files of results', () => {
  test('are deleted with the project, but not with the model', async () => {
    const of = await makeTwoTastes(caller, 60);
    const result = await cluster(of);
    const keys = async () => (await api.objectKeys()).filter((key) => key.startsWith('results/'));
    const before = await keys();
    await caller.call('deleteModel', { project_id: of.project_id, model_id: of.model_id });
    expect((await follow(caller, result.download_url)).status).toBe(200);
    const jobs = await api.rows<{ job_id: string }>(
      `SELECT job_id FROM jobs JOIN projects USING (project_key) WHERE project_id = $1 AND job_type = 'CLUSTERING'`,
      [of.project_id],
    );
    await caller.call('deleteProject', { project_id: of.project_id });
    const others = before.filter((key) => !key.includes(jobs[0]?.job_id ?? 'none'));
    // The lines, the map as SVG, and the map as JSON.
    expect(others.length).toBe(before.length - 3);
    await expect.poll(keys, { timeout: 15_000 }).toEqual(others);
    expect((await follow(caller, result.download_url)).status).toBe(404);
  });

  test("do not exist for a clustering of another project's model", async () => {
    const other = await makeProject(caller);
    const { status } = await caller.ask('submitClusteringJob', {
      name: 'c',
      project_id: other.project_id,
      model_id: project.model_id,
      cluster_type: 'user',
      parameters: {},
    });
    expect(status).toBe(404);
    expect(
      await waitForJob(caller, project.project_id, await submitClustering(caller, project)),
    ).toMatchObject({
      job_type: 'CLUSTERING',
      job_data: { model_id: project.model_id, cluster_type: 'user', parameters: {} },
      error: null,
    });
  });
});
