import { seededRandom } from '@tastegraph/algorithms';
import { decodeModel, G1Scorer } from '@tastegraph/algorithms/g1';
import type { Request, Response } from '@tastegraph/contract';
import { parquetReadObjects } from 'hyparquet';
import type { TestApi } from './api.ts';
import type { Caller } from './caller.ts';
import {
  batchesOf,
  fixedParameters,
  makeEmptyProject,
  type TestProject,
  trainModel,
  waitForJob,
} from './training.ts';

type Value = string | number | boolean;
type Attributes = Record<string, Value | string[]>;
interface Item {
  readonly item_id: string;
  readonly attributes: Attributes;
}
interface Event {
  readonly event_id: string;
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
  readonly event_type: string;
  readonly event_value: number;
}

/** A project with records that the test knows, and a model of it. */
export interface AnalysedProject extends TestProject {
  readonly model_id: string;
  readonly users: readonly { readonly user_id: string }[];
  readonly items: readonly Item[];
  readonly events: readonly Event[];
}

const genres = ['Comedy', 'Drama', 'Horror', 'Thriller'];

/**
 * Random users and items, except that each user prefers one genre. Attributes are lists, numbers and booleans; one item
 * lacks some, one has no record; there are other events than the target's, values from 0 up, IDs that are not ASCII, and
 * users with a record, one of whom has no events.
 */
export async function makeAnalysedProject(caller: Caller, seed = 1): Promise<AnalysedProject> {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const items = Array.from({ length: 30 }, (_, item): Item => {
    const first = genres[item % 4] ?? '';
    const second = genres[below(4)] ?? '';
    const attributes = { genres: [...new Set([first, second])], price: below(3), kids: item % 3 === 0 };
    return { item_id: `i${item}`, attributes: item === 7 ? { price: 9 } : attributes };
  });
  const events = Array.from({ length: 600 }, (_, index): Event => {
    const user = below(50);
    const likes = items.filter((_, item) => item % 4 === user % 4);
    const { item_id = '' } = (random() < 0.7 ? likes[below(likes.length)] : items[below(30)]) ?? {};
    return {
      event_id: `e${index}`,
      user_id: user === 3 ? 'ü "3"' : `u${user}`,
      item_id: index % 97 === 5 ? 'no-record' : item_id,
      ts: 1_700_000_000_000 + index * 1000,
      event_type: random() < 0.7 ? 'buy' : 'view',
      event_value: below(4) / 2,
    };
  });
  return trainOn(caller, items, events, [{ user_id: 'u0' }, { user_id: 'no-events' }]);
}

/** Users of two tastes and nothing else: one half takes even items, the other odd ones, at random. */
export async function makeTwoTastes(
  caller: Caller,
  users = 200,
  records: AnalysedProject['users'] = [],
): Promise<AnalysedProject> {
  const random = seededRandom(users);
  const items = Array.from({ length: 40 }, (_, item): Item => {
    return { item_id: `i${item}`, attributes: { parity: item % 2 === 0 ? 'even' : 'odd' } };
  });
  const events = Array.from({ length: users * 12 }, (_, index): Event => {
    const user = index % users;
    const item_id = `i${2 * Math.floor(random() * 20) + (user % 2)}`;
    const ts = 1_700_000_000_000 + index * 1000;
    return { event_id: `e${index}`, user_id: `u${user}`, item_id, ts, event_type: 'buy', event_value: 1 };
  });
  return trainOn(caller, items, events, records);
}

async function trainOn(
  caller: Caller,
  items: readonly Item[],
  events: readonly Event[],
  users: AnalysedProject['users'] = [],
): Promise<AnalysedProject> {
  const made = await makeEmptyProject(caller, {
    parameters: { ...fixedParameters, event_weights: { buy: 1, view: 0.3 } },
  });
  const { user_dataset_id, item_dataset_id, event_dataset_id } = made;
  await caller.call('upsertDatasetUsers', { user_dataset_id, users: [...users] });
  await caller.call('upsertDatasetItems', { item_dataset_id, items: [...items] });
  for (const batch of batchesOf(events))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: batch });
  return { ...made, users, items, events, model_id: await trainModel(caller, made) };
}

const carries = ({ attributes }: Item, attribute: string, value: Value) =>
  [attributes[attribute]].flat().includes(value);

/** Each user's affinities, from the records and the scorer's item scores: slow, and as in the definition. */
export async function usagesOf(
  api: TestApi,
  caller: Caller,
  project: AnalysedProject,
  attribute: string,
  value: Value,
): Promise<Map<string, number>> {
  const { project_id, model_id, events, items, users: records } = project;
  const { usage_evidence: k = Number.NaN } = (await caller.call('getModel', { project_id, model_id }))
    .training;
  const [row] = await api.rows<{ object_key: string }>('SELECT object_key FROM models WHERE model_id = $1', [
    model_id,
  ]);
  const { bytes } = await api.store.read(row?.object_key ?? '');
  const { model, catalogue } = decodeModel(Buffer.concat((await bytes.toArray()) as Buffer[]));
  // Affinities are of what users did, not of what items' attributes promise.
  const scorer = new G1Scorer({ ...model, parameters: { ...model.parameters, map: null } });
  const carried = new Set(
    items.filter((item) => carries(item, attribute, value)).map((item) => item.item_id),
  );
  const users = [...new Set([...events, ...records].map(({ user_id }) => user_id))];
  return new Map(
    users.map((user) => {
      const own = events.filter((event) => event.user_id === user);
      const target = own.filter((event) => event.event_type === 'buy');
      const worth = (some: readonly Event[]) => some.reduce((sum, event) => sum + event.event_value, 0);
      const asked = {
        events: {
          item: Uint32Array.from(own, (event) => catalogue.itemIds.indexOf(event.item_id)),
          type: Uint8Array.from(own, (event) => catalogue.eventTypes.indexOf(event.event_type)),
          value: Float32Array.from(own, (event) => event.event_value),
        },
        attributes: [],
      };
      let [on, all] = [0, 0];
      for (const [item, id] of catalogue.itemIds.entries())
        for (const { amount } of scorer.explain(asked, item)) {
          all += Math.max(0, amount);
          on += carried.has(id) ? Math.max(0, amount) : 0;
        }
      const observed = worth(target.filter((event) => carried.has(event.item_id)));
      return [user, (observed + (k * on) / all) / (worth(target) + k)];
    }),
  );
}

export type Download = Extract<Response<'getJob'>['job_result'], { download_url: string }>;

type Asked = Pick<Request<'submitQueryingJob'>, 'query_type' | 'queries' | 'table_format'>;

export async function submitQueries(
  caller: Caller,
  { project_id, model_id }: Pick<AnalysedProject, 'project_id' | 'model_id'>,
  asked: Asked,
): Promise<string> {
  const request = { name: 'a query', project_id, model_id, ...asked } as Request<'submitQueryingJob'>;
  return (await caller.call('submitQueryingJob', request)).job_id;
}

export async function submitClustering(
  caller: Caller,
  { project_id, model_id }: Pick<AnalysedProject, 'project_id' | 'model_id'>,
  parameters: Request<'submitClusteringJob'>['parameters'] = {},
  table: Pick<Request<'submitClusteringJob'>, 'table_format'> = {},
): Promise<string> {
  const groups = { name: 'groups', cluster_type: 'user' } as const;
  const request = { ...groups, project_id, model_id, parameters, ...table };
  return (await caller.call('submitClusteringJob', request)).job_id;
}

/** The result of a job that must succeed. */
export async function resultOf(caller: Caller, project_id: string, jobId: string): Promise<Download> {
  const job = await waitForJob(caller, project_id, jobId);
  if (job.job_status !== 'SUCCEED') throw new Error(`the job did not succeed: ${JSON.stringify(job)}`);
  return job.job_result as Download;
}

/** Fetches a URL of a job's result from the server of the test. */
export async function follow(
  caller: Caller,
  address: string,
  init: RequestInit = {},
): Promise<globalThis.Response> {
  const { pathname, search } = new URL(address);
  return fetch(`${caller.baseUrl}${pathname}${search}`, init);
}

/** The rows of a job's table in Parquet. */
export async function tableRowsOf(caller: Caller, { table_url = '' }: Download): Promise<object[]> {
  return parquetReadObjects({ file: await (await follow(caller, table_url)).arrayBuffer() });
}

export async function linesOf<Line>(
  caller: Caller,
  { download_url }: Pick<Download, 'download_url'>,
): Promise<Line[]> {
  const lines = (await (await follow(caller, download_url)).text()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}
