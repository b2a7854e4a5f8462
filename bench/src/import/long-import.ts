import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { countRows } from '../ingest/bare.ts';
import { makeEvents } from '../ingest/events.ts';
import type { Goal } from '../report.ts';
import type { Setting } from '../setting.ts';
import { ImportCommand } from './command.ts';

/** However long the source is. */
const memoryGoalMib = 400;

/** One file, one import, killed with -9 at half and given again: what there is then, and what the process took. */
export async function importAtLength({ service, admin }: Setting, file: string, events: number) {
  await pipeline(lines(events), createGzip({ level: 1 }), createWriteStream(file));
  const datasetId = await service.newEventDataset();
  const first = new ImportCommand(service, datasetId, file);
  await untilDone(first, file, events / 10);
  const peakAtTenth = first.peakMib;
  await untilDone(first, file, events / 2);
  first.kill();
  await first.ended;
  const said = await rowsDone(file);
  const there = await countRows(admin, datasetId);

  const second = new ImportCommand(service, datasetId, file);
  const resumed = await second.ended;
  const rows = await countRows(admin, datasetId);
  const path = `/get-event-dataset?event_dataset_id=${datasetId}`;
  const { record_count } = await service.call<{ record_count: number }>('GET', path, '');
  const peak = Math.max(first.peakMib, second.peakMib);
  const figures = {
    events,
    'said to be done at the kill': said,
    'there at the kill': there,
    'went on after': resumed?.rows_before ?? 0,
    'there at the end': rows,
    'counted by the service': record_count,
    'MiB at a tenth': peakAtTenth,
    'MiB at most': peak,
  };
  const goals: Goal[] = [
    { text: `what was said to be done is there: ${said} of ${there} rows`, reached: said <= there },
    {
      text: `after kill -9 and resuming, of ${events} events ${rows} are there and ${record_count} counted`,
      reached: rows === events && record_count === events && resumed?.rows_before === said,
    },
    {
      text: `the command takes at most ${memoryGoalMib} MiB: ${peakAtTenth} MiB after a tenth, ${peak} MiB at most`,
      reached: peak <= memoryGoalMib,
    },
  ];
  return { figures, goals };
}

/** With an id each, so that every line is an event of its own. */
function* lines(count: number): Generator<string> {
  const events = makeEvents(3);
  yield 'event_id,user_id,item_id,timestamp,event_type\n';
  const perPiece = 1000;
  for (let from = 0; from < count; from += perPiece)
    yield Array.from({ length: Math.min(perPiece, count - from) }, (_, place) => {
      const { user_id, item_id, ts, event_type } = events.next().value;
      return `e${from + place},${user_id},${item_id},${ts},${event_type}\n`;
    }).join('');
}

async function untilDone(running: ImportCommand, file: string, rows: number): Promise<void> {
  while ((await rowsDone(file)) < rows) {
    if (running.hasEnded) throw new Error(`the import ended before it came to ${rows} rows`);
    await sleep(50);
  }
}

/** By the file in which the command line keeps how far it came. */
async function rowsDone(file: string): Promise<number> {
  const text = await readFile(`${file}.import-state.json`, 'utf8').catch(() => '{"rows_done":0}');
  return (JSON.parse(text) as { rows_done: number }).rows_done;
}
