import { type Listed, type ListName, NotFoundError, type Response, type Tastegraph } from '@tastegraph/sdk';
import { exitCodes } from './exit-codes.ts';
import type { Kind } from './import/fields.ts';
import { Problem, usageProblem } from './problem.ts';

export type Project = Response<'getProject'>;
export type Model = Response<'getModel'>;

/** By id or by name; without either, the account's only project. */
export async function findProject(client: Tastegraph, given: string | undefined): Promise<Project> {
  if (given?.startsWith('prj_')) {
    const answer = client.getProject({ project_id: given });
    return answer.catch((error: unknown) => {
      throw error instanceof NotFoundError ? noSuch(`project ${given}`, 'tastegraph project list') : error;
    });
  }
  const projects = await collect(client.listAll('listProjects'));
  if (given !== undefined) return pickNamed(projects, given, 'project', 'tastegraph project list');
  if (projects.length > 1)
    throw usageProblem(
      `There are ${projects.length} projects.`,
      'Name one with --project, by id or by name; `tastegraph project list` shows them.',
    );
  const [only] = projects;
  if (!only)
    throw new Problem(
      'There is no project yet.',
      'Create one: `tastegraph project create NAME --users … --items … --events … --target TYPE`.',
      exitCodes.notFound,
      { code: 'NOT_FOUND' },
    );
  return only;
}

/** Where datasets of a kind are listed, and what their ids are called and begin with. */
export const datasetKinds = {
  users: { list: 'listUserDatasets', idField: 'user_dataset_id', prefix: 'uds_' },
  items: { list: 'listItemDatasets', idField: 'item_dataset_id', prefix: 'ids_' },
  events: { list: 'listEventDatasets', idField: 'event_dataset_id', prefix: 'eds_' },
} as const satisfies Record<Kind, { list: ListName; idField: string; prefix: string }>;

export interface Dataset {
  readonly dataset_id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly num_shards: number;
  readonly record_count: number;
}

/** What all kinds have. */
type AnyDataset = Listed<'listUserDatasets'>;

export async function listDatasets(client: Tastegraph, kind: Kind): Promise<Dataset[]> {
  const { list, idField } = datasetKinds[kind];
  const found: Dataset[] = [];
  for await (const one of client.listAll(list) as AsyncIterable<unknown> as AsyncIterable<AnyDataset>) {
    const dataset_id = (one as unknown as Record<string, string>)[idField] ?? '';
    const { name, num_shards, record_count } = one;
    found.push({ dataset_id, kind, name, num_shards, record_count });
  }
  return found;
}

/** By id or by name. */
export async function findDataset(client: Tastegraph, kind: Kind, given: string): Promise<Dataset> {
  const datasets = await listDatasets(client, kind);
  const byId = datasets.find(({ dataset_id }) => dataset_id === given);
  return byId ?? pickNamed(datasets, given, `dataset of ${kind}`, 'tastegraph datasets');
}

/** By id, or the newest. */
export async function findModel(client: Tastegraph, { project_id }: Project, given: string): Promise<Model> {
  if (given !== 'latest')
    return client.getModel({ project_id, model_id: given }).catch((error: unknown) => {
      throw error instanceof NotFoundError
        ? noSuch(`model ${given}`, `tastegraph models --project ${project_id}`)
        : error;
    });
  const [newest] = (await client.listModels({ project_id, page_size: 1 })).models;
  if (newest) return newest;
  throw new Problem(
    `The project ${project_id} has no model yet.`,
    `Train one: \`tastegraph train --project ${project_id} --watch\`.`,
    exitCodes.notFound,
    { code: 'NOT_FOUND' },
  );
}

export async function collect<T extends Listed<ListName>>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

function pickNamed<T extends { name: string }>(
  all: readonly T[],
  name: string,
  what: string,
  list: string,
): T {
  const [found, ...more] = all.filter((one) => one.name === name);
  if (!found) throw noSuch(`${what} ${name}`, list);
  if (more.length > 0)
    throw usageProblem(
      `${more.length + 1} are called ${name}.`,
      `Give the id instead; \`${list}\` shows it.`,
    );
  return found;
}

function noSuch(what: string, list: string): Problem {
  return new Problem(
    `There is no ${what} in this account.`,
    `\`${list}\` shows what there is.`,
    exitCodes.notFound,
    {
      code: 'NOT_FOUND',
    },
  );
}
