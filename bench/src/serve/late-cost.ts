import { clientOf } from '../sdk-client.ts';
import type { Service } from '../service.ts';
import { measureProjectCost } from './measure-cost.ts';
import type { Prepared } from './prepare.ts';
import type { CostRounds } from './sizes.ts';

const batchSize = 1000;
/** As many late items as a process keeps evidence of. */
const takenItems = 512;
const takersPerItem = 8;

/** The rate of calls with `late` items that were added after the training, compared with the same shop without. */
export async function measureLateCost(
  service: Service,
  { plain, grown }: { readonly plain: Prepared; readonly grown: Prepared },
  late: number,
  rounds: CostRounds,
) {
  await addItems(service, grown, late);
  const what = `${late} items that were added after the training`;
  return measureProjectCost(service, what, { on: grown, off: plain }, rounds);
}

/** Items like those of the shop, and events with some of them. */
async function addItems(cell: Service, { project_id, users }: Prepared, late: number): Promise<void> {
  const client = clientOf(cell);
  const { item_dataset_id, event_dataset_id } = await client.getProject({ project_id });
  for (let from = 0; from < late; from += batchSize) {
    const items = Array.from({ length: Math.min(batchSize, late - from) }, (_, index) => {
      const n = from + index;
      return {
        item_id: `late${n}`,
        attributes: {
          title: `Late thing ${n}`,
          price: (n % 100) + 0.5,
          category: `g${n % 400}`,
          tags: [`t${n % 97}`, `t${n % 89}`],
        },
      };
    });
    await client.upsertDatasetItems({ item_dataset_id, items });
  }
  const events = Array.from({ length: Math.min(late, takenItems) * takersPerItem }, (_, n) => ({
    event_id: `late${n}`,
    user_id: users[n % users.length] ?? '',
    item_id: `late${n % takenItems}`,
    ts: Date.now() - n,
    event_type: 'buy',
  }));
  for (let from = 0; from < events.length; from += batchSize)
    await client.upsertDatasetEvents({ event_dataset_id, events: events.slice(from, from + batchSize) });
}
