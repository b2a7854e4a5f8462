import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { BenchEnvironment } from '../environment.ts';
import { generateEvents } from '../ingest/events.ts';
import { countRows } from '../ingest/plain-upserts.ts';
import type { Goal } from '../report.ts';
import { ImportCommand } from './command.ts';

/** For a source of any length. */
const memoryGoalMib = 400;

/** Imports a file, kills the import with kill -9 halfway, and resumes it. Checks the result and the peak memory. */
export async function importInterrupted({ service, admin }: BenchEnvironment, file: string, events: number) {
  await pipeline(lines(events), createGzip({ level: 1 }), createWriteStream(file));
  const datasetId = await service.newEventDataset();
  const first = new ImportCommand(service, datasetId, file);
  await waitForRows(first, file, events / 10);
  const peakAtTenth = first.peakMib;
  await waitForRows(first, file, events / 2);
  first.kill();
  await first.result;
  const rowsReported = await rowsDone(file);
  const rowsAtKill = await countRows(admin, datasetId);

  const second = new ImportCommand(service, datasetId, file);
  const resumed = await second.result;
  const rows = await countRows(admin, datasetId);
  const path = `/get-event-dataset?event_dataset_id=${datasetId}`;
  const { record_count } = await service.call<{ record_count: number }>('GET', path, '');
  const peak = Math.max(first.peakMib, second.peakMib);
  const figures = {
    events,
    'rows reported at the kill': rowsReported,
    'rows in the table at the kill': rowsAtKill,
    'resumed after row': resumed?.rows_before ?? 0,
    'rows at the end': rows,
    record_count,
    'peak MiB after a tenth': peakAtTenth,
    'peak MiB': peak,
  };
  const goals: Goal[] = [
    {
      text: `all rows reported as done are in the table: ${rowsReported} of ${rowsAtKill}`,
      reached: rowsReported <= rowsAtKill,
    },
    {
      text: `after kill -9 and resuming, ${rows} of ${events} events are in the table, and record_count is ${record_count}`,
      reached: rows === events && record_count === events && resumed?.rows_before === rowsReported,
    },
    {
      text: `the command uses at most ${memoryGoalMib} MiB: ${peakAtTenth} MiB after a tenth of the rows, ${peak} MiB at the peak`,
      reached: peak <= memoryGoalMib,
    },
  ];
  return { figures, goals };
}

/** Each line has its own event ID, so each one is a separate event. */
function* lines(count: number): Generator<string> {
  const events = generateEvents(3);
  yield 'event_id,user_id,item_id,timestamp,event_type\n';
  const perPiece = 1000;
  for (let from = 0; from < count; from += perPiece)
    yield Array.from({ length: Math.min(perPiece, count - from) }, (_, place) => {
      const { user_id, item_id, ts, event_type } = events.next().value;
      return `e${from + place},${user_id},${item_id},${ts},${event_type}\n`;
    }).join('');
}

async function waitForRows(running: ImportCommand, file: string, rows: number): Promise<void> {
  while ((await rowsDone(file)) < rows) {
    if (running.hasExited) throw new Error(`the import ended before it reached ${rows} rows`);
    await sleep(50);
  }
}

/** From the file in which the command line stores its progress. */
async function rowsDone(file: string): Promise<number> {
  const text = await readFile(`${file}.import-state.json`, 'utf8').catch(() => '{"rows_done":0}');
  return (JSON.parse(text) as { rows_done: number }).rows_done;
}
