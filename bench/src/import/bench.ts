import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Event, eventsPerCall, makeEvents, takeBatches } from '../ingest/events.ts';
import { httpLane, type Lane, takeTurns } from '../ingest/lanes.ts';
import { peakBytes } from '../process-memory.ts';
import { median, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { withSetting } from '../setting.ts';

interface Sizes {
  readonly calls: number;
  readonly rounds: number;
  readonly ratioGoal: number;
}

const full: Sizes = { calls: 1000, rounds: 10, ratioGoal: 0.9 };
// Rounds of a few seconds are half warming up, and on two cores the command line takes what it needs from the service: the
// gate is far lower than the goal.
const quick: Sizes = { calls: 200, rounds: 2, ratioGoal: 0.4 };

/** As the command line has them. */
const connections = 8;
const command = new URL('../../../packages/cli/tastegraph', import.meta.url).pathname;

/**
 * Events a second that `tastegraph import` takes from a CSV in gzip, reading and compressing it included, beside calls
 * whose bodies were made beforehand, as `bench ingest` sends them. Ten million events, if it is not quick.
 */
export async function benchImport(isQuick: boolean): Promise<Report> {
  const { calls, rounds, ratioGoal } = isQuick ? quick : full;
  return withSetting(async ({ postgres, service }) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-bench-'));
    const http = httpLane(service, await service.newEventDataset(), connections);
    const peaks: number[] = [];
    const cli = commandLane(
      service,
      await service.newEventDataset(),
      join(folder.path, 'events.csv.gz'),
      peaks,
    );
    await http.round(takeBatches(makeEvents(2), 20));
    const events = makeEvents(1);
    const pids = { api: service.pid, postgresql: postgres.pid };
    const figures = await takeTurns([http, cli], rounds, () => takeBatches(events, calls), pids);
    const rateOf = ({ name }: Lane) => median(figures.get(name)?.rates ?? []);
    const ratio = rateOf(cli) / rateOf(http);
    const roundEvents = (calls * eventsPerCall).toLocaleString('en');
    return {
      bench: 'import',
      tables: [
        {
          title: `Events a second: ${rounds} rounds of ${roundEvents} events, ${connections} connections`,
          rows: [...figures].map(([way, { rates, cpuMs }]) => ({
            way,
            'median /s': Math.round(median(rates)),
            'min /s': Math.round(Math.min(...rates)),
            'max /s': Math.round(Math.max(...rates)),
            'api CPU ms/1000': cpuMs['api'] ?? '-',
            'PostgreSQL CPU ms/1000': cpuMs['postgresql'] ?? '-',
          })),
        },
      ],
      goals: [
        {
          text: `ratio to calls with bodies made beforehand at least ${ratioGoal}: ${ratio.toFixed(3)}`,
          reached: ratio >= ratioGoal,
        },
      ],
      figures: { ways: Object.fromEntries(figures), ratio, cli_peak_mib: Math.max(...peaks) },
    };
  });
}

function commandLane({ baseUrl, key }: Service, datasetId: string, file: string, peaks: number[]): Lane {
  const env = {
    ...process.env,
    TASTEGRAPH_URL: baseUrl,
    TASTEGRAPH_API_KEY: key.api_key,
    TASTEGRAPH_API_SECRET: key.api_secret,
  };
  return {
    name: 'tastegraph import, CSV in gzip',
    async round(batches, onStart) {
      await pipeline(lines(batches), createGzip(), createWriteStream(file));
      onStart?.();
      const args = ['import', 'events', file, '--dataset', datasetId, '--json'];
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const watch = setInterval(() => void peakMib(child.pid ?? 0).then((peak) => peaks.push(peak)), 200);
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
      const [code] = (await once(child, 'close')) as [number];
      clearInterval(watch);
      if (code !== 0) throw new Error(`tastegraph import ended with ${code}`);
      // Without the start of the process, which a long import does not feel.
      return (JSON.parse(printed) as { seconds: number }).seconds;
    },
  };
}

function* lines(batches: readonly Event[][]): Generator<string> {
  yield 'user_id,item_id,timestamp,event_type\n';
  for (const batch of batches)
    yield batch.map((one) => `${one.user_id},${one.item_id},${one.ts},${one.event_type}\n`).join('');
}

/** What the process has had in memory at most; 0 where the system does not tell, or it has ended. */
async function peakMib(pid: number): Promise<number> {
  return Math.round((await peakBytes(pid).catch(() => 0)) / 2 ** 20);
}
