import type { Request } from '@tastegraph/contract';
import { expect } from 'vitest';
import { api, caller as ownCaller } from './stack.ts';
import { createAlgorithm, deployModel, makeProject, type ProjectShape, trainModel } from './training.ts';

/** The IDs of a list, in its order. */
export const idsIn = ({ results }: { readonly results: readonly { readonly item: { item_id: string } }[] }) =>
  results.map(({ item }) => item.item_id);

/** How `makeProject` tells the two tastes of its users: 0 or 1. */
export const parityOf = (id: string) => Number(id.slice(1)) % 2;

/** Deploys a model of the shared product without a job. */
export const deployDirectly = (modelId: string) =>
  deployModel((text, values) => api.rows(text, values), modelId);

/** A project with a deployed model in the shared product, and the calls that tests make of it. */
export async function openShop(shape: ProjectShape = {}, caller = ownCaller) {
  const project = await makeProject(caller, shape);
  const model_id = await trainModel(caller, project);
  await deployDirectly(model_id);
  const { project_id, item_dataset_id, event_dataset_id } = project;
  let eventCount = 0;
  /** Recommendations that must succeed. */
  const recommend = (fields: object) => caller.call('recommendItemsToUser', { project_id, ...fields });
  return {
    project,
    project_id,
    model_id,
    recommend,
    /** Recommendations, or why there are none. */
    ask: (fields: object) => caller.ask('recommendItemsToUser', { project_id, ...fields }),
    ids: async (fields: object) => idsIn(await recommend(fields)),
    /** The IDs of all pages, in order. */
    async pages(fields: object, onPage: (page: number) => unknown = () => undefined): Promise<string[][]> {
      const pages: string[][] = [];
      for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
        const page = await recommend({ ...fields, cursor });
        pages.push(idsIn(page));
        cursor = page.cursor;
        await onPage(pages.length);
      }
      return pages;
    },
    upsert: (...items: Request<'upsertDatasetItems'>['items']) =>
      caller.call('upsertDatasetItems', { item_dataset_id, items }),
    remove: (...ids: string[]) => caller.call('deleteDatasetItems', { item_dataset_id, ids }),
    /** A new event, later than those of `makeProject` and than the previous one. */
    act(user_id: string, item_id: string, event_type = 'buy') {
      const n = eventCount++;
      const events = [{ event_id: `now${n}`, user_id, item_id, ts: 1_750_000_000_000 + n, event_type }];
      return caller.call('upsertDatasetEvents', { event_dataset_id, events });
    },
    /** The ID of a model that knows only what is popular. */
    async trainPopular(): Promise<string> {
      const algorithm_id = await createAlgorithm(caller, project_id, 'POPULAR');
      return trainModel(caller, { ...project, algorithm_id });
    },
  };
}

interface Explained {
  readonly score?: number;
  readonly reasons?: readonly { readonly contribution: number }[];
}

/** Checks that the reasons of each item add up to its score. */
export function expectSums(results: readonly Explained[]): void {
  for (const { score = 0, reasons = [] } of results) {
    const sum = reasons.reduce((total, { contribution }) => total + contribution, 0);
    expect(Math.abs(sum - score)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(score)));
  }
}
