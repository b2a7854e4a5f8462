import { median, percentile, type Report } from '../report.ts';
import { pace, type Target } from '../serve/load.ts';
import { type Prepared, prepareShop } from '../serve/prepare.ts';
import { encodeRequest } from '../serve/raw-client.ts';
import { type Setting, withSetting } from '../setting.ts';

const shop = { users: 20_000, items: 4000, events: 200_000 };
/** What the quiet project asks, and what the loud one may: it asks for twenty times as much. */
const quietPerSecond = 100;
const loudQps = 20;
const excess = 20;
const connections = 16;
const goal = 1.2;

/** Whether a project far over its queries per second is felt by another on the same serving process: in turns, with and without. */
export async function benchIsolation(isQuick: boolean): Promise<Report> {
  return withSetting((setting) => measure(isQuick ? 2 : 10, isQuick ? 4 : 10, setting), 'all-in-one');
}

async function measure(rounds: number, seconds: number, { service: cell, admin }: Setting): Promise<Report> {
  const quiet = await prepareShop(cell, admin, shop);
  const loud = await prepareShop(cell, admin, shop, loudQps);
  await using service = await cell.startAnother('serving');
  const path = '/recommend-items-to-user';
  const headers = await service.headersFor(path);
  const target = ({ project_id, users, attributes }: Prepared): Target => ({
    port: service.port,
    request: (n) =>
      encodeRequest(path, headers, { project_id, user_id: users[n % users.length], limit: 20, attributes }),
  });
  const calm = () => pace(target(quiet), quietPerSecond, connections, seconds);
  const flood = () => pace(target(loud), loudQps * excess, connections, seconds, [200, 429]);
  await Promise.all([calm(), flood()]);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(percentile((await calm()).latenciesMs, 99));
    const [{ latenciesMs }] = await Promise.all([calm(), flood()]);
    beside.push(percentile(latenciesMs, 99));
  }
  const ratio = median(beside) / median(alone);
  return {
    bench: 'isolation',
    tables: [
      {
        title: `p99 of a project at ${quietPerSecond} calls a second, ${rounds} rounds of ${seconds} s in turns`,
        rows: [
          { way: 'alone', 'median p99 ms': median(alone), 'max p99 ms': Math.max(...alone) },
          {
            way: `beside one at ${excess} times its ${loudQps} a second`,
            'median p99 ms': median(beside),
            'max p99 ms': Math.max(...beside),
          },
        ],
      },
    ],
    goals: [
      { text: `p99 at most ${goal} times what it is alone: ${ratio.toFixed(2)}`, reached: ratio <= goal },
    ],
    figures: { ratio, alone, beside },
  };
}
