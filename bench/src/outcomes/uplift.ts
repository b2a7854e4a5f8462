import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@tastegraph/algorithms';
import type { BenchEnvironment } from '../environment.ts';
import type { Goal } from '../report.ts';
import { clientOf, createDatasets, createProject, importAll } from '../sdk-client.ts';
import { deployModel, trainModel, trainOn } from '../serve/prepare.ts';
import { encodeRequest, RawClient } from '../serve/raw-client.ts';
import { answerId, logAnswers, newAnswer } from './answer-log.ts';
import { type ShopSize, SimulatedShop } from './shop.ts';

const dayMs = 24 * 3600_000;
const connections = 16;
const missingShare = 0.3;
/** The intervals of rates use Student's t with 63 degrees of freedom; that of the uplift is normal. */
const t = 1.998;
const z = 1.96;
const settleMs = 600_000;

type Client = ReturnType<typeof clientOf>;

/** The uplift of G1 over POPULAR as `/get-outcomes` measures it, beside the truth. */
export async function measureUplift(setting: BenchEnvironment, size: ShopSize) {
  const { service, objectsFolder } = setting;
  const client = clientOf(service);
  const shop = new SimulatedShop(size);
  const fromTs = (Math.floor(Date.now() / dayMs) - size.days - 1) * dayMs;
  const datasets = await createDatasets(client, 40);
  await importAll(client, datasets, { users: shop.users(), items: shop.items(), events: shop.past(fromTs) });
  const { project_id, model_id: g1 } = await trainOn(client, datasets, 'buy');
  const popular = await trainModel(client, project_id, 'POPULAR', {});
  await deployModel(client, project_id, g1);
  const models = [g1, popular];
  const lists: string[][][] = [];
  for (const model_id of models) lists.push(await readLists(setting, project_id, model_id, size.users));
  const { visits, events, trueRates } = shop.simulate(lists, fromTs);
  const truth = (trueRates[0] ?? 0) / (trueRates[1] ?? 1) - 1;

  const results = [];
  for (const missing of [0, missingShare]) {
    const project = await newProject(client, datasets);
    const random = seededRandom(5);
    const ids = visits.map(({ ts }) => answerId(ts, random));
    const account_id = service.key.account_id;
    await logAnswers(
      objectsFolder,
      visits.map(({ ts, user, model, items }, n) =>
        newAnswer({
          recommendation_id: ids[n] ?? '',
          account_id,
          project_id: project.project_id,
          ts,
          user_id: `u${user}`,
          model_id: models[model] ?? null,
          item_ids: items,
        }),
      ),
    );
    await client.importEvents(
      project.event_dataset_id,
      events.map(({ visit, ...event }) => ({
        ...event,
        ...(visit !== undefined && random() >= missing && { recommendation_id: ids[visit] }),
      })),
      { concurrency: 8 },
    );
    const totals = await attributed(setting, client, project.project_id, visits.length);
    results.push({ missing, ...compare(totals, models) });
  }
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
  return {
    title: `Uplift of G1 over POPULAR: ${size.users} users, ${size.days} days, ${visits.length} answers, ${events.length} events; the truth is ${percent(truth)}`,
    rows: results.map(({ missing, rates, uplift, low, high }) => ({
      'IDs missing': percent(missing),
      'rate of G1': percent(rates[0] ?? 0),
      'true ': percent(trueRates[0] ?? 0),
      'rate of POPULAR': percent(rates[1] ?? 0),
      true: percent(trueRates[1] ?? 0),
      uplift: percent(uplift),
      interval: `${percent(low)} to ${percent(high)}`,
    })),
    goals: results.map(
      ({ missing, low, high }): Goal => ({
        text: `with ${percent(missing)} of the IDs missing, the interval from ${percent(low)} to ${percent(high)} contains the true uplift of ${percent(truth)}`,
        reached: low <= truth && truth <= high,
      }),
    ),
    figures: { truth, trueRates, answers: visits.length, events: events.length, results },
  };
}

/** With its own events, and the same users and items. */
async function newProject(client: Client, datasets: Awaited<ReturnType<typeof createDatasets>>) {
  const { event_dataset_id } = await client.createEventDataset({ name: 'shop', num_shards: 20 });
  const project_id = await createProject(client, { ...datasets, event_dataset_id });
  return { project_id, event_dataset_id };
}

/** What the model recommends to each user. */
async function readLists(
  { service }: BenchEnvironment,
  project_id: string,
  model_id: string,
  users: number,
): Promise<string[][]> {
  const path = '/recommend-items-to-user';
  const headers = await service.headersFor(path);
  const lists: string[][] = [];
  let next = 0;
  const ask = async () => {
    const client = await RawClient.open(service.port);
    for (let user = next++; user < users; user = next++) {
      const fields = { project_id, model_id, user_id: `u${user}`, limit: 20, attributes: [] };
      for (;;) {
        const { status, body } = await client.call(encodeRequest(path, headers, fields));
        if (status === 200) {
          const { results } = JSON.parse(body) as { results: { item: { item_id: string } }[] };
          lists[user] = results.map(({ item }) => item.item_id);
          break;
        }
        // Loading the model takes longer than the deadline of one call.
        if (status !== 503) throw new Error(body);
        await sleep(100);
      }
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return lists;
}

async function attributed({ admin }: BenchEnvironment, client: Client, project_id: string, answers: number) {
  const sinceTs = Date.now();
  for (const end = sinceTs + settleMs; Date.now() < end; ) {
    const { attributed_ts, totals } = await client.getOutcomes({ project_id });
    const counted = totals.reduce((sum, total) => sum + total.answers, 0);
    if ((attributed_ts ?? 0) > sinceTs && counted === answers) return totals;
    // Now, instead of two minutes after the last run.
    await admin.query(
      `UPDATE outcome_states SET due_at = now() WHERE due_at < now() + interval '15 minutes'
        AND project_key = (SELECT project_key FROM projects WHERE project_id = $1)`,
      [project_id],
    );
    await sleep(1000);
  }
  throw new Error('the events were not attributed in time');
}

type Totals = Awaited<ReturnType<Client['getOutcomes']>>['totals'];

/** The ratio of two independent rates, by the delta method on its logarithm. */
function compare(totals: Totals, models: readonly string[]) {
  const measures = models.map((model) => {
    const { rate, low, high } = totals.find(({ model_id }) => model_id === model)?.converted ?? {};
    return { rate: rate ?? 0, error: ((high ?? 0) - (low ?? 0)) / 2 / t };
  });
  const [one, other] = measures;
  if (!one || !other) throw new Error('a model has no outcomes');
  const log = Math.log(one.rate / other.rate);
  const half = z * Math.hypot(one.error / one.rate, other.error / other.rate);
  return {
    rates: [one.rate, other.rate],
    uplift: Math.exp(log) - 1,
    low: Math.exp(log - half) - 1,
    high: Math.exp(log + half) - 1,
  };
}
