import {
  comparePaired,
  type Interactions,
  judgeLoss,
  ndcg,
  seededRandom,
  sequential,
} from '@tastegraph/algorithms';
import { fitModel, type G1Model, G1Scorer } from '@tastegraph/algorithms/g1';
import type { Goal, Report } from '../report.ts';
import { syntheticEvents } from '../train/synthetic-events.ts';

const listLength = 20;
const maxLoss = 0.01;
const pairs = 200;
const sizes = [250, 500, 1000, 2000, 5000, 10_000];
/** The size for which the goals hold: half of what a guard samples. */
const goalUsers = 10_000;

/**
 * How often the guard of a deployment is right. Two models that were fitted on different parts of the same data predict the last
 * event of each user. Scaling the scores of the second gives a population in which its true loss is known exactly; each pair
 * is a sample of users from it, judged by the function that deployments use.
 */
export async function benchGuard(quick: boolean): Promise<Report> {
  const events = syntheticEvents(quick ? 150_000 : 400_000);
  const population = await scoreUsers(events);
  const rows = [];
  const goals: Goal[] = [];
  const refused: Record<string, number> = {};
  for (const users of sizes) {
    const row: Record<string, string | number> = { users };
    for (const loss of [0, 0.01, 0.02, 0.05, 0.1]) {
      const share = refusedShare(population, users, loss);
      row[`true loss ${loss * 100} %`] = `${(share * 100).toFixed(1)} %`;
      refused[`${users} users, loss ${loss}`] = share;
      if (users === goalUsers && loss === 0.05)
        goals.push({
          text: `of ${pairs} candidates that are 5 % worse, ${(share * 100).toFixed(1)} % are refused with ${users} users (at least 95 %)`,
          reached: share >= 0.95,
        });
      if (users === goalUsers && loss === 0)
        goals.push({
          text: `of ${pairs} candidates that are equally good, ${(share * 100).toFixed(1)} % are refused (at most 5 %)`,
          reached: share <= 0.05,
        });
    }
    rows.push(row);
  }
  const { deployed, correlation } = describe(population);
  return {
    bench: 'guard',
    tables: [
      {
        title: `Refused by a guard with max_loss ${maxLoss}, of ${pairs} pairs each (NDCG@20 of the deployed model: ${deployed.toFixed(4)}, correlation of both models over users: ${correlation.toFixed(2)})`,
        rows,
      },
    ],
    goals,
    figures: { deployed, correlation, refused },
  };
}

interface Population {
  readonly deployed: Float64Array;
  /** Scaled to the mean of `deployed`. */
  readonly candidate: Float64Array;
}

async function scoreUsers(events: Interactions): Promise<Population> {
  const random = seededRandom(3);
  const fitOn = (share: number) =>
    fitModel({ events: keep(events, () => random() < share) }, sequential, { k: 100 });
  const [deployed, candidate] = [score(events, await fitOn(0.8)), score(events, await fitOn(0.8))];
  const scale = mean(deployed) / mean(candidate);
  return { deployed, candidate: candidate.map((value) => value * scale) };
}

/** The events of each user but the last, as far as `isKept`. */
function keep(events: Interactions, isKept: () => boolean): Interactions {
  const offsets = new Uint32Array(events.users + 1);
  const kept: number[] = [];
  for (let user = 0; user < events.users; user++) {
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]! - 1; event++)
      if (isKept()) kept.push(event);
    offsets[user + 1] = kept.length;
  }
  return {
    ...events,
    offsets,
    item: Uint32Array.from(kept, (event) => events.item[event]!),
    type: Uint8Array.from(kept, (event) => events.type[event]!),
    value: Float32Array.from(kept, (event) => events.value[event]!),
  };
}

/** NDCG of the last event of each user, from all events before it. */
function score(events: Interactions, model: G1Model): Float64Array {
  const scorer = new G1Scorer(model);
  return Float64Array.from({ length: events.users }, (_, user) => {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]! - 1];
    const [item, type, value] = [
      events.item.subarray(from, to),
      events.type.subarray(from, to),
      events.value.subarray(from, to),
    ];
    const relevant = events.item[to]!;
    if (item.includes(relevant)) return 0;
    const list = scorer.recommend({ events: { item, type, value }, attributes: [] }, { n: listLength });
    return ndcg(
      list.map((one) => one.item),
      new Set([relevant]),
      listLength,
    );
  });
}

function refusedShare({ deployed, candidate }: Population, users: number, loss: number): number {
  let refused = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const random = seededRandom(1000 + pair);
    const sample = Uint32Array.from({ length: users }, () => Math.floor(random() * deployed.length));
    const compared = comparePaired(
      Float64Array.from(sample, (user) => deployed[user]!),
      Float64Array.from(sample, (user) => candidate[user]! * (1 - loss)),
    );
    if (judgeLoss(compared, maxLoss) === 'REFUSED') refused++;
  }
  return refused / pairs;
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

function describe({ deployed, candidate }: Population): { deployed: number; correlation: number } {
  const [one, other] = [mean(deployed), mean(candidate)];
  let [own, both, others] = [0, 0, 0];
  for (const [user, value] of deployed.entries()) {
    own += (value - one) ** 2;
    others += (candidate[user]! - other) ** 2;
    both += (value - one) * (candidate[user]! - other);
  }
  return { deployed: one, correlation: both / Math.sqrt(own * others) };
}
