import { percentile } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { compareRates, type Rounds, rateRow, ratioGoals } from './compare-rates.ts';
import { flood, type Target } from './load.ts';
import type { Prepared } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';

interface LateCost extends Rounds {
  readonly limit: number;
  /** How many items are added after the training. */
  readonly late: number;
  readonly goal?: number;
}

const path = '/recommend-items-to-user';
const batchSize = 1000;
/** As many late items as a process keeps evidence of. */
const takenItems = 512;
const takersPerItem = 8;

/**
 * The rate of calls with items that were added after the training, compared with the same shop without. One serving process answers
 * both.
 */
export async function measureLateCost(
  cell: Service,
  { plain, grown }: { readonly plain: Prepared; readonly grown: Prepared },
  { connections, seconds, pairs, limit, late, goal }: LateCost,
) {
  await addItems(cell, grown, late);
  await using service = await cell.startAnother('serving');
  const headers = await service.headersFor(path);
  const wayOf = ({ project_id, users, attributes }: Prepared) => {
    const request: Target['request'] = (n) =>
      encodeRequest(path, headers, { project_id, user_id: users[n % users.length], limit, attributes });
    return { pid: service.pid, target: { port: service.port, request } };
  };
  const ways = [wayOf(grown), wayOf(plain)] as const;
  for (const { target } of ways) {
    await callUntilLoaded(target);
    // The first calls load the items in the background.
    await flood(target, connections, Math.max(5, seconds));
  }
  const { first: on, second: off, ratios } = await compareRates(...ways, { connections, seconds, pairs });
  const ratio = percentile(ratios, 50);
  return {
    table: {
      title: `${plain.name}: with and without ${late} items that were added after the training`,
      rows: [rateRow('with', on), rateRow('without', off)],
    },
    goals: ratioGoals(`${plain.name}: with ${late} items that were added after the training`, ratio, goal),
    figures: { ratio, late },
  };
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
