import { type Goal, percentile } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { flood, type Target } from './load.ts';
import type { Prepared } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';

interface LateCost {
  readonly connections: number;
  readonly seconds: number;
  readonly pairs: number;
  readonly limit: number;
  /** How many items are added after the training. */
  readonly late: number;
  readonly goal?: number;
}

const path = '/recommend-items-to-user';
const batchSize = 1000;

/**
 * The rate of calls with items that were added after the training, compared with the same shop without. One serving process answers
 * both, in short rounds that alternate.
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
    return { target: { port: service.port, request }, rates: [] as number[] };
  };
  const ways = [wayOf(grown), wayOf(plain)];
  for (const { target } of ways) {
    await callUntilLoaded(target);
    // The first calls load the items in the background.
    await flood(target, connections, Math.max(5, seconds));
  }
  for (let pair = 0; pair < pairs; pair++)
    for (const way of pair % 2 === 0 ? ways : ways.toReversed())
      way.rates.push((await flood(way.target, connections, seconds)).perSecond);
  const [on, off] = ways;
  if (!on || !off) throw new Error('both are measured');
  const ratio = percentile(
    on.rates.map((rate, pair) => rate / (off.rates[pair] ?? Number.NaN)),
    50,
  );
  const rowOf = (way: string, { rates }: typeof on) => ({
    way,
    'calls/s': Math.round(percentile(rates, 50)),
  });
  const goals: Goal[] =
    goal === undefined
      ? []
      : [
          {
            text: `${plain.name}: with ${late} items that were added after the training, at least ${goal} times the rate without: ${ratio.toFixed(3)}`,
            reached: ratio >= goal,
          },
        ];
  return {
    table: {
      title: `${plain.name}: with and without ${late} items that were added after the training`,
      rows: [rowOf('with', on), rowOf('without', off)],
    },
    goals,
    figures: { ratio, late },
  };
}

/** Items like those of the shop. */
async function addItems(cell: Service, { project_id }: Prepared, late: number): Promise<void> {
  const client = clientOf(cell);
  const { item_dataset_id } = await client.getProject({ project_id });
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
}
