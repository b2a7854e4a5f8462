import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { median, percentile, type Report } from '../report.ts';
import { pace, type Target } from '../serve/load.ts';
import { type Prepared, prepareShop } from '../serve/prepare.ts';
import { recommendRequests } from '../serve/recommend-requests.ts';

const shop = { users: 20_000, items: 4000, events: 200_000 };
/** The quiet project's rate, and the limit of the loud one, which sends `excess` times as many calls. */
const quietPerSecond = 100;
const loudQps = 20;
const excess = 20;
const connections = 16;
const goal = 1.2;

/** Whether a project that far exceeds its qps slows down another one on the same serving process. Alternates both cases. */
export async function benchIsolation(isQuick: boolean): Promise<Report> {
  return withEnvironment((setting) => measure(isQuick ? 2 : 10, isQuick ? 4 : 10, setting), 'all-in-one');
}

async function measure(
  rounds: number,
  seconds: number,
  { service: cell, admin }: BenchEnvironment,
): Promise<Report> {
  const quiet = await prepareShop(cell, admin, shop);
  const loud = await prepareShop(cell, admin, shop, { qps: loudQps });
  await using service = await cell.startAnother('serving');
  const requestsOf = await recommendRequests(service, 20);
  const target = (prepared: Prepared): Target => ({ port: service.port, request: requestsOf(prepared) });
  const runQuiet = () => pace(target(quiet), quietPerSecond, connections, seconds);
  const runLoud = () => pace(target(loud), loudQps * excess, connections, seconds, [200, 429]);
  await Promise.all([runQuiet(), runLoud()]);
  const alone: number[] = [];
  const withLoud: number[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(percentile((await runQuiet()).latenciesMs, 99));
    const [{ latenciesMs }] = await Promise.all([runQuiet(), runLoud()]);
    withLoud.push(percentile(latenciesMs, 99));
  }
  const ratio = median(withLoud) / median(alone);
  return {
    bench: 'isolation',
    tables: [
      {
        title: `p99 of a project at ${quietPerSecond} calls per second, ${rounds} alternating rounds of ${seconds} s`,
        rows: [
          { case: 'alone', 'median p99 ms': median(alone), 'max p99 ms': Math.max(...alone) },
          {
            case: `while another sends ${excess} times its limit of ${loudQps} per second`,
            'median p99 ms': median(withLoud),
            'max p99 ms': Math.max(...withLoud),
          },
        ],
      },
    ],
    goals: [
      {
        text: `p99 at most ${goal} times that without the other project: ${ratio.toFixed(2)}`,
        reached: ratio <= goal,
      },
    ],
    figures: { ratio, alone, with_loud: withLoud },
  };
}
