import { isUnavailable, type Queryable } from '../../kernel/postgres/pool.ts';
import { type ItemFields, type ItemsRequest, readItemsOf, type StoredItem } from '../rows/item-reads.ts';
import type { ServedProject } from '../rows/serving-reads.ts';

export interface AskedItems {
  readonly ids: readonly string[];
  readonly fields: ItemFields;
}

export interface ProjectItems extends AskedItems {
  readonly project: ServedProject;
}

export const projectOf = ({ project }: { readonly project: ServedProject }) => project;

/**
 * Reads for calls of several projects in one statement. If it fails, reads each project on its own, so that a fault in the data
 * of one does not fail the calls of the others.
 */
export async function readTogether<Asked extends { readonly project: ServedProject }, Found>(
  asked: readonly Asked[],
  read: (some: readonly Asked[]) => Promise<readonly Found[]>,
): Promise<readonly (Found | Promise<Found>)[]> {
  try {
    return await read(asked);
  } catch (error) {
    const byProject = Map.groupBy(asked, projectOf);
    if (byProject.size === 1 || isUnavailable(error)) throw error;
    const ends = new Map<Asked, () => Promise<Found>>();
    for (const own of byProject.values()) {
      const [end] = await Promise.allSettled([read(own)]);
      for (const [index, one] of own.entries())
        ends.set(one, async () => {
          if (end.status === 'rejected') throw end.reason;
          return end.value[index] as Found;
        });
    }
    // A promise that fails must not exist before its call waits for it.
    return asked.map((one) => ends.get(one)?.() ?? Promise.reject(error as Error));
  }
}

/** One request per project, with the IDs and fields of all its calls. */
export async function readItemsTogether(
  db: Queryable,
  asked: readonly ProjectItems[],
): Promise<ReadonlyMap<string, StoredItem>[]> {
  const byProject = [...Map.groupBy(asked, projectOf)];
  const found = await readItemsOf(
    db,
    byProject.map(([{ items }, own]): ItemsRequest => ({ items, ...mergeAsked(own) })),
  );
  const ofProject = new Map(byProject.map(([project], index) => [project, found[index]]));
  return asked.map(({ project }) => ofProject.get(project) ?? new Map());
}

function mergeAsked(asked: readonly AskedItems[]): AskedItems {
  const [first] = asked;
  if (first && asked.length === 1) return first;
  const names = new Set<string>();
  let isAll = false;
  for (const { fields } of asked)
    if (fields === 'all') isAll = true;
    else for (const name of fields) names.add(name);
  return {
    ids: [...new Set(asked.flatMap(({ ids }) => ids))],
    fields: isAll ? 'all' : [...names],
  };
}
