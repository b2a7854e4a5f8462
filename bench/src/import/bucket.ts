import { createWriteStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { cpuSeconds, readStat } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { type Event, eventsPerCall, generateEvents, takeBatches } from '../ingest/events.ts';
import type { Report } from '../report.ts';
import { clientOf, createDatasets, createProject } from '../sdk-client.ts';
import { ImportCommand } from './command.ts';

interface Sizes {
  readonly events: number;
  readonly ratioGoal: number;
}

const full: Sizes = { events: 10_000_000, ratioGoal: 1 };
// Half of such a short job is its start.
const quick: Sizes = { events: 200_000, ratioGoal: 0.5 };

/** Seconds to import one gzipped CSV file, by a job from the object store and by the command line over HTTP. */
export async function benchBucket(isQuick: boolean): Promise<Report> {
  const { events, ratioGoal } = isQuick ? quick : full;
  return withEnvironment(async (setting) => {
    const { service, postgres, objectsFolder } = setting;
    const folder = join(objectsFolder, 'imports', service.key.account_id);
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'events.csv.gz');
    await pipeline(lines(events), createGzip({ level: 1 }), createWriteStream(file));
    const job = await importByJob(setting);
    const copy = join(objectsFolder, 'events.csv.gz');
    await copyFile(file, copy);
    const cpu = () => sum([service.pid, postgres.pid].map(cpuSeconds)) + exitedSeconds();
    const before = cpu();
    const command = new ImportCommand(service, await service.newEventDataset(), copy);
    const seconds = (await command.result)?.seconds ?? Number.NaN;
    const http = { seconds, cpu: cpu() - before };
    const ratio = http.seconds / job.seconds;
    const row = (method: string, of: { seconds: number; cpu: number }) => ({
      method,
      seconds: of.seconds,
      'events/s': Math.round(events / of.seconds),
      'CPU s': of.cpu,
    });
    return {
      bench: 'import bucket',
      tables: [
        {
          title: `${events.toLocaleString('en')} events from one gzipped CSV file`,
          rows: [row('import job', job), row('tastegraph import', http)],
        },
      ],
      goals: [
        { text: `every event is written: ${job.records}`, reached: job.records === events },
        {
          text: `at least ${ratioGoal} times the rate of HTTP: ${ratio.toFixed(2)}`,
          reached: ratio >= ratioGoal,
        },
      ],
      figures: { events, job, http, ratio },
    };
  });
}

/** Of the commands that have ended: they are children of this process. */
const exitedSeconds = () => {
  const { seconds = 0, ownSeconds = 0 } = readStat(process.pid) ?? {};
  return seconds - ownSeconds;
};

const sum = (values: readonly (number | undefined)[]) =>
  values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);

async function importByJob({ service, postgres }: BenchEnvironment) {
  const client = clientOf(service);
  const datasets = await createDatasets(client, 1000);
  const project_id = await createProject(client, datasets);
  await using worker = service.startWorker();
  const cpu = () => sum([worker.pid, postgres.pid].map(cpuSeconds));
  const before = cpu();
  const { job_id } = await client.submitImportJob({
    name: 'bench',
    project_id,
    event_dataset_id: datasets.event_dataset_id,
    path: 'events.csv.gz',
  });
  const job = await client.waitForJob({ project_id, job_id, job_type: 'IMPORT' });
  const { started_ts, finished_ts, job_result } = job;
  return {
    seconds: ((finished_ts ?? 0) - (started_ts ?? 0)) / 1000,
    records: job_result.record_count ?? 0,
    cpu: cpu() - before,
  };
}

function* lines(count: number): Generator<string> {
  yield 'event_id,user_id,item_id,timestamp,event_type\n';
  const events = generateEvents(1);
  for (let left = count; left > 0; left -= eventsPerCall) {
    const [batch = []] = takeBatches(events, 1);
    yield batch.map(lineOf).join('');
  }
}

/** Numbered, so that no two events have the same ID. */
let number = 0;
const lineOf = (one: Event) => `${number++},${one.user_id},${one.item_id},${one.ts},${one.event_type}\n`;
