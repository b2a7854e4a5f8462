import { titleOf } from '@tastegraph/files/title';
import { ApiError, type Tastegraph } from '@tastegraph/sdk';
import type { Project } from '../find.ts';

/** The most IDs per call. */
const pageSize = 1000;

export type Titles = (itemId: string) => string;

/** The titles of items, if the project names an attribute for them. An item without a title is called by its ID. */
export async function readTitles(
  client: Tastegraph,
  { project_id, title_attribute }: Pick<Project, 'project_id' | 'title_attribute'>,
  ids: Iterable<string>,
): Promise<Titles> {
  const titles = new Map<string, string>();
  const unique = [...new Set(ids)];
  if (typeof title_attribute !== 'string') return (itemId) => itemId;
  for (let from = 0; from < unique.length; from += pageSize) {
    const item_ids = unique.slice(from, from + pageSize);
    const request = { project_id, item_ids, attributes: [title_attribute] };
    const { items } = await client.findItems(request).catch(withoutTitles);
    for (const item of items) titles.set(item.item_id, titleOf(item.item_id, item, title_attribute));
  }
  return (itemId) => titles.get(itemId) ?? itemId;
}

/** Titles are a courtesy: a key that may not read them still shows IDs. */
function withoutTitles(error: unknown): { items: never[] } {
  if (error instanceof ApiError) return { items: [] };
  throw error;
}
