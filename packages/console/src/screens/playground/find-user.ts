import type { Tastegraph } from '@tastegraph/sdk';
import type { Project } from '../../projects/project-context.ts';

const pageSize = 200;
/** Users that are tried until one with events is found. */
const maxTries = 6;
const alphabet = Array.from('0123456789abcdefghijklmnopqrstuvwxyz');

async function listIds(
  client: Tastegraph,
  { user_dataset_id }: Project,
  id_prefix?: string,
): Promise<string[]> {
  const { users } = await client.listDatasetUsers({ user_dataset_id, page_size: pageSize, id_prefix });
  return users.map(({ user_id }) => user_id);
}

async function firstWithEvents(client: Tastegraph, { event_dataset_id }: Project, ids: readonly string[]) {
  for (const user_id of ids.slice(0, maxTries)) {
    const { events } = await client.listDatasetEvents({ event_dataset_id, user_id, page_size: 1 });
    if (events.length > 0) return user_id;
  }
  return ids[0];
}

/** The first user with events, to begin with. */
export async function findFirstUser(client: Tastegraph, project: Project): Promise<string | null> {
  return (await firstWithEvents(client, project, await listIds(client, project))) ?? null;
}

/**
 * A user from anywhere in the dataset, without reading all of it: one of the first IDs, with a character replaced, is the prefix
 * of others further on.
 */
export async function findRandomUser(
  client: Tastegraph,
  project: Project,
  except: string,
): Promise<string | null> {
  const first = await listIds(client, project);
  const id = pick(first);
  if (id === undefined) return null;
  const cut = Math.floor(Math.random() * id.length);
  const elsewhere = await listIds(client, project, id.slice(0, cut) + (pick(alphabet) ?? ''));
  const others = [elsewhere, first].map((ids) => ids.filter((one) => one !== except));
  const candidates = shuffle(others.find((ids) => ids.length > 0) ?? []);
  return (await firstWithEvents(client, project, candidates)) ?? null;
}

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

const shuffle = (list: readonly string[]) =>
  list
    .map((id) => ({ id, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
