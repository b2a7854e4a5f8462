import { createWriteStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Event, eventsPerCall, makeEvents, takeBatches } from '../ingest/events.ts';
import { httpLane, type Lane, takeTurns } from '../ingest/lanes.ts';
import { median, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { withSetting } from '../setting.ts';
import { ImportCommand } from './command.ts';
import { importAtLength } from './long-import.ts';

interface Sizes {
  readonly calls: number;
  readonly rounds: number;
  readonly ratioGoal: number;
  readonly longImport: number;
}

const full: Sizes = { calls: 1000, rounds: 10, ratioGoal: 0.9, longImport: 10_000_000 };
// Rounds of a few seconds are half warming up, and on two cores the command line takes what it needs from the service: the
// gate is far lower than the goal.
const quick: Sizes = { calls: 200, rounds: 2, ratioGoal: 0.4, longImport: 200_000 };

/** As the command line has them. */
const connections = 8;

/**
 * Events a second that `tastegraph import` takes from a CSV in gzip, reading and compressing it included, beside calls
 * whose bodies were made beforehand, as `bench ingest` sends them. Then one import of ten million events, fewer if it is
 * quick, that is killed at half.
 */
export async function benchImport(isQuick: boolean): Promise<Report> {
  const { calls, rounds, ratioGoal, longImport } = isQuick ? quick : full;
  return withSetting(async (setting) => {
    const { postgres, service } = setting;
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-bench-'));
    const http = httpLane(service, await service.newEventDataset(), connections);
    const file = join(folder.path, 'events.csv.gz');
    const cli = commandLane(service, await service.newEventDataset(), file);
    await http.round(takeBatches(makeEvents(2), 20));
    const events = makeEvents(1);
    const pids = { api: service.pid, postgresql: postgres.pid };
    const figures = await takeTurns([http, cli], rounds, () => takeBatches(events, calls), pids);
    const rateOf = ({ name }: Lane) => median(figures.get(name)?.rates ?? []);
    const ratio = rateOf(cli) / rateOf(http);
    const long = await importAtLength(setting, file, longImport);
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
        { title: 'One import, killed with -9 at half and given again', rows: [long.figures] },
      ],
      goals: [
        {
          text: `ratio to calls with bodies made beforehand at least ${ratioGoal}: ${ratio.toFixed(3)}`,
          reached: ratio >= ratioGoal,
        },
        ...long.goals,
      ],
      figures: { ways: Object.fromEntries(figures), ratio, long_import: long.figures },
    };
  });
}

function commandLane(service: Service, datasetId: string, file: string): Lane {
  return {
    name: 'tastegraph import, CSV in gzip',
    async round(batches, onStart) {
      await pipeline(lines(batches), createGzip(), createWriteStream(file));
      onStart?.();
      const { seconds } = (await new ImportCommand(service, datasetId, file).ended) ?? {
        seconds: Number.NaN,
      };
      return seconds;
    },
  };
}

function* lines(batches: readonly Event[][]): Generator<string> {
  yield 'user_id,item_id,timestamp,event_type\n';
  for (const batch of batches)
    yield batch.map((one) => `${one.user_id},${one.item_id},${one.ts},${one.event_type}\n`).join('');
}
