import type { Kind } from '@tastegraph/files';
import { type Listed, type ListName, NotFoundError, type Response, type Tastegraph } from '@tastegraph/sdk';
import { type CliError, notFoundError, usageError } from './cli-error.ts';
import { shellQuote } from './terminal/format.ts';

export type Project = Response<'getProject'>;
export type Model = Response<'getModel'>;

/** Finds a project by ID or name; without either, returns the only project of the account. */
export async function findProject(client: Tastegraph, idOrName: string | undefined): Promise<Project> {
  if (idOrName?.startsWith('prj_')) {
    const answer = client.getProject({ project_id: idOrName });
    return answer.catch((error: unknown) => {
      throw error instanceof NotFoundError
        ? notInAccount(`project ${idOrName}`, 'tastegraph project list')
        : error;
    });
  }
  const projects = await collect(client.listAll('listProjects'));
  if (idOrName !== undefined) return findByName(projects, idOrName, 'project', 'tastegraph project list');
  if (projects.length > 1)
    throw usageError(
      `This account has ${projects.length} projects.`,
      'Pass --project with an ID or a name. `tastegraph project list` lists the projects.',
    );
  const [only] = projects;
  if (!only)
    throw notFoundError(
      'This account has no projects.',
      'Create one: `tastegraph project create NAME --users … --items … --events … --target TYPE`.',
    );
  return only;
}

/** Per kind: the operation that lists the datasets, and the name and prefix of their IDs. */
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

/** The fields that all kinds of datasets share. */
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

/** Finds a dataset by ID or name. */
export async function findDataset(client: Tastegraph, kind: Kind, idOrName: string): Promise<Dataset> {
  const datasets = await listDatasets(client, kind);
  const byId = datasets.find(({ dataset_id }) => dataset_id === idOrName);
  return byId ?? findByName(datasets, idOrName, `${kind.slice(0, -1)} dataset`, 'tastegraph datasets');
}

/** Finds a model by ID; `latest` is the newest. */
export async function findModel(
  client: Tastegraph,
  { project_id, name }: Project,
  idOrLatest: string,
): Promise<Model> {
  if (idOrLatest !== 'latest')
    return client.getModel({ project_id, model_id: idOrLatest }).catch((error: unknown) => {
      throw error instanceof NotFoundError
        ? notInAccount(`model ${idOrLatest}`, `tastegraph models --project ${shellQuote(name)}`)
        : error;
    });
  const [newest] = (await client.listModels({ project_id, page_size: 1 })).models;
  if (newest) return newest;
  throw notFoundError(
    `Project ${name} has no models.`,
    `Train one: \`tastegraph train --project ${shellQuote(name)} --watch\`.`,
  );
}

/** The ID of a job; `latest` is the newest. */
export async function findJobId(
  client: Tastegraph,
  { project_id, name }: Project,
  idOrLatest: string,
): Promise<string> {
  if (idOrLatest !== 'latest') return idOrLatest;
  const [newest] = (await client.listJobs({ project_id, page_size: 1 })).jobs;
  if (newest) return newest.job_id;
  throw notFoundError(
    `Project ${name} has no jobs.`,
    `Submit one: \`tastegraph train --project ${shellQuote(name)}\`.`,
  );
}

export async function collect<T extends Listed<ListName>>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

function findByName<T extends { name: string }>(
  all: readonly T[],
  name: string,
  what: string,
  list: string,
): T {
  const [found, ...more] = all.filter((one) => one.name === name);
  if (!found) throw notInAccount(`${what} ${name}`, list);
  if (more.length > 0)
    throw usageError(
      `${more.length + 1} ${what}s are named ${name}.`,
      `Pass the ID instead of the name. \`${list}\` lists the IDs.`,
    );
  return found;
}

function notInAccount(what: string, list: string): CliError {
  return notFoundError(
    `${what.charAt(0).toUpperCase()}${what.slice(1)} was not found in this account.`,
    `Run \`${list}\` to list what exists.`,
  );
}
