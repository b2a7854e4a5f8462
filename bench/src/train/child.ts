import { createHash } from 'node:crypto';
import { type Interactions, sequential } from '@tastegraph/algorithms';
import { encodeModel, fitModel, train } from '@tastegraph/algorithms/g1';
import { startThreads } from '@tastegraph/algorithms/threads';
import { fromLists, largest, readLists } from '../quality/data.ts';
import { cpuSecondsSince, measureKernels } from './measured-executor.ts';
import { syntheticEvents } from './synthetic-events.ts';

/** Runs one training in a separate process, to measure its peak memory. Prints the measurements as JSON. */
const [data = '', threads = '1', mode = 'fit', k = '200'] = process.argv.slice(2);

function read(): Interactions {
  if (/^\d+$/.test(data)) return syntheticEvents(Number(data));
  const lists = readLists(`${data}/train.txt`);
  return fromLists(lists, false, largest(lists.values()) + 1);
}

const events = read();
const count = Number(threads);
const pool = count > 1 ? startThreads(count) : undefined;
// Generating the events takes memory that the training can use.
await pool?.release();
const measured = mode === 'fit' ? measureKernels(pool ?? sequential, events) : undefined;
const executor = measured?.executor ?? pool ?? sequential;
const started = performance.now();
const idle = process.cpuUsage();
/** By stage, the seconds and the CPU seconds of all threads. */
const stages: Record<string, readonly [seconds: number, cpuSeconds: number]> = {};
let stage = '';
let since = [started, process.cpuUsage()] as const;
const onProgress = (next: string) => {
  const now = performance.now();
  const [seconds, cpuSeconds] = stages[stage] ?? [0, 0];
  if (stage) stages[stage] = [seconds + (now - since[0]) / 1000, cpuSeconds + cpuSecondsSince(since[1])];
  stage = next;
  since = [now, process.cpuUsage()];
};
const searched = mode === 'search' ? await train({ events }, executor, { onProgress }) : undefined;
const model = searched?.model ?? (await fitModel({ events }, executor, { k: Number(k) }, onProgress));
const counting = measured?.counting ?? { seconds: 0, cpuSeconds: 0 };
const seconds = (performance.now() - started) / 1000 - counting.seconds;
const cpuSeconds = cpuSecondsSince(idle) - counting.cpuSeconds;
const peakBytes = process.resourceUsage().maxRSS * 1024;
await pool?.close();
const catalogue = {
  itemIds: Array.from({ length: model.items }, (_, item) => `item-${item}`),
  eventTypes: ['buy'],
  targetEventType: 'buy',
  userCodes: [],
  itemCodes: [],
};
let modelBytes = 0;
const hash = createHash('sha256');
for (const block of encodeModel(model, catalogue)) {
  modelBytes += block.length;
  hash.update(block);
}
console.log(
  JSON.stringify({
    events: events.item.length,
    users: events.users,
    items: events.items,
    k: model.parameters.k,
    seconds,
    cpuSeconds,
    cooccurrence: measured?.cooccurrence,
    regression: measured?.regression,
    fits: searched?.fits,
    parameters: searched?.parameters,
    peakBytes,
    modelBytes,
    modelSha256: hash.digest('hex'),
    stages,
  }),
);
