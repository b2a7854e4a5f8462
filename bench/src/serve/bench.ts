import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import type { Report } from '../report.ts';
import type { Service } from '../service.ts';
import { measureLateCost } from './late-cost.ts';
import { measureLowRankCost } from './low-rank-cost.ts';
import { measureCost } from './measure-cost.ts';
import { measureService } from './measure-service.ts';
import { type Prepared, prepareMovieLens, prepareShop } from './prepare.ts';
import { recommendRequests } from './recommend-requests.ts';
import { type CostRounds, full, limit, quick, type Sizes } from './sizes.ts';

/**
 * The recommendation call of one serving process, compared with bare Fastify that returns the same JSON from memory, and with
 * one that makes only the unavoidable database reads. The cases alternate in one run, with one client.
 */
export async function benchServe(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  const sizes = isQuick ? quick : full;
  const measureParts = (setting: BenchEnvironment) => {
    if (parts.includes('low-rank')) return measureLowRank(sizes, setting);
    return parts.includes('new-items') ? measureLate(sizes, setting) : measureAll(sizes, setting);
  };
  return withEnvironment(measureParts, 'all-in-one');
}

/** The part `new-items`: what items cost that were added after the training, a fifth of the catalogue. */
async function measureLate({ shop, late }: Sizes, { service, admin }: BenchEnvironment): Promise<Report> {
  const prepare = () => prepareShop(service, admin, shop, { attributeWeight: 1 });
  const shops = { plain: await prepare(), grown: await prepare() };
  return reportOf(await measureLateCost(service, shops, Math.round(shop.items / 5), late));
}

/** The part `low-rank`: what the low-rank part of a model costs. */
async function measureLowRank({ shop, lowRank }: Sizes, setting: BenchEnvironment): Promise<Report> {
  const prepare = () => prepareShop(setting.service, setting.admin, shop);
  const shops = { plain: await prepare(), factored: await prepare() };
  return reportOf(await measureLowRankCost(setting, shops, lowRank));
}

const reportOf = ({ table, goals, figures }: Awaited<ReturnType<typeof measureCost>>): Report => ({
  bench: 'serve',
  tables: [table],
  goals,
  figures,
});

async function measureAll(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { service, admin } = setting;
  const movies = sizes.withMovieLens ? [await prepareMovieLens(service)] : [];
  const shop = await prepareShop(service, admin, sizes.shop);
  const measured = [];
  for (const each of [...movies, shop]) measured.push(await measureService(sizes, setting, each));
  const log = await measureLogCost(service, shop, sizes.log);
  return {
    bench: 'serve',
    tables: [
      ...measured.map(({ title, rows }) => ({ title, rows })),
      {
        title: 'Memory that a serving process needs to load a project (for small models, mostly noise)',
        rows: measured.map(({ memory }) => memory),
      },
      log.table,
    ],
    goals: [...measured.flatMap(({ goals }) => goals), ...log.goals],
    figures: Object.fromEntries([
      ...measured.map(({ title, figures }): [string, unknown] => [title, figures]),
      ['decision log', log.figures],
    ]),
  };
}

/** The rate of a serving process that logs its answers, compared with one that does not. Both run all the time. */
async function measureLogCost(cell: Service, shop: Prepared, rounds: CostRounds) {
  const request = (await recommendRequests(cell, limit))(shop);
  await using logging = await cell.startAnother('serving');
  await using silent = await cell.startAnother('serving', { DECISION_LOG_DAYS: '0' });
  const wayOf = ({ pid, port }: Service) => ({ pid, target: { port, request } });
  return await measureCost(
    { data: shop.name, what: 'the decision log' },
    { on: wayOf(logging), off: wayOf(silent) },
    rounds,
  );
}
