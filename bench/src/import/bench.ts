import { createWriteStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { withEnvironment } from '../environment.ts';
import { type Event, eventsPerCall, generateEvents, takeBatches } from '../ingest/events.ts';
import { httpMethod, type Method, runAlternately } from '../ingest/methods.ts';
import { median, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { benchBucket } from './bucket.ts';
import { ImportCommand } from './command.ts';
import { importInterrupted } from './interrupted-import.ts';

interface Sizes {
  readonly calls: number;
  readonly rounds: number;
  readonly ratioGoal: number;
  readonly longImport: number;
}

const full: Sizes = { calls: 1000, rounds: 10, ratioGoal: 0.9, longImport: 10_000_000 };
// The goal is far lower: half of such a short round is warm-up, and on two cores the command line takes CPU time from the
// service.
const quick: Sizes = { calls: 200, rounds: 2, ratioGoal: 0.4, longImport: 200_000 };

/** The default of the command line. */
const connections = 8;

/**
 * Events per second of `tastegraph import` from a gzipped CSV file, including reading and compressing, compared with calls
 * whose bodies are prepared in advance, as in `bench ingest`. Then one import of ten million events (fewer if quick) that
 * is killed halfway and resumed.
 */
export async function benchImport(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  if (parts.includes('bucket')) return benchBucket(isQuick);
  const { calls, rounds, ratioGoal, longImport } = isQuick ? quick : full;
  return withEnvironment(async (setting) => {
    const { postgres, service } = setting;
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-bench-'));
    const http = httpMethod(service, await service.newEventDataset(), connections);
    const file = join(folder.path, 'events.csv.gz');
    const cli = cliMethod(service, await service.newEventDataset(), file);
    await http.round(takeBatches(generateEvents(2), 20));
    const events = generateEvents(1);
    const pids = { api: service.pid, postgresql: postgres.pid };
    const figures = await runAlternately([http, cli], rounds, () => takeBatches(events, calls), pids);
    const rateOf = ({ name }: Method) => median(figures.get(name)?.rates ?? []);
    const ratio = rateOf(cli) / rateOf(http);
    const long = await importInterrupted(setting, file, longImport);
    const roundEvents = (calls * eventsPerCall).toLocaleString('en');
    return {
      bench: 'import',
      tables: [
        {
          title: `Events per second: ${rounds} rounds of ${roundEvents} events, ${connections} connections`,
          rows: [...figures].map(([method, { rates, cpuMs }]) => ({
            method,
            'median /s': Math.round(median(rates)),
            'min /s': Math.round(Math.min(...rates)),
            'max /s': Math.round(Math.max(...rates)),
            'api CPU ms/1000': cpuMs['api'] ?? '-',
            'PostgreSQL CPU ms/1000': cpuMs['postgresql'] ?? '-',
          })),
        },
        { title: 'One import, killed with kill -9 halfway and resumed', rows: [long.figures] },
      ],
      goals: [
        {
          text: `at least ${ratioGoal} times the rate of calls with prepared bodies: ${ratio.toFixed(3)}`,
          reached: ratio >= ratioGoal,
        },
        ...long.goals,
      ],
      figures: { methods: Object.fromEntries(figures), ratio, long_import: long.figures },
    };
  });
}

function cliMethod(service: Service, datasetId: string, file: string): Method {
  return {
    name: 'tastegraph import, gzipped CSV',
    async round(batches, onStart) {
      await pipeline(lines(batches), createGzip(), createWriteStream(file));
      onStart?.();
      const { seconds } = (await new ImportCommand(service, datasetId, file).result) ?? {
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
