import type { Tastegraph } from '@tastegraph/sdk';
import type { Project } from '../../use/projects.ts';

/** Users that are looked at until one with events is found. */
const maxTries = 6;

async function firstWithEvents(client: Tastegraph, { event_dataset_id }: Project, ids: readonly string[]) {
  const found = await Promise.all(
    ids.map(async (user_id) => {
      const { events } = await client.listDatasetEvents({ event_dataset_id, user_id, page_size: 1 });
      return events.length > 0;
    }),
  );
  return ids.find((_, index) => found[index]) ?? ids[0];
}

/** The first user with events, to begin with. */
export async function findFirstUser(client: Tastegraph, project: Project): Promise<string | null> {
  const { user_dataset_id } = project;
  const { users } = await client.listDatasetUsers({ user_dataset_id, page_size: maxTries });
  const ids = users.map(({ user_id }) => user_id);
  return (await firstWithEvents(client, project, ids)) ?? null;
}

/** Any user of the dataset but one, if possible with events. */
export async function findRandomUser(
  client: Tastegraph,
  project: Project,
  except: string,
): Promise<string | null> {
  const { user_dataset_id } = project;
  const { users } = await client.listDatasetUsers({ user_dataset_id, sample: maxTries + 1 });
  const ids = users.map(({ user_id }) => user_id).filter((id) => id !== except);
  return (await firstWithEvents(client, project, ids.slice(0, maxTries))) ?? null;
}
