import { type Interactions, sequential } from '@tastegraph/algorithms';
import { encodeModel, fitModel, train } from '@tastegraph/algorithms/g1';
import { startThreads } from '@tastegraph/algorithms/threads';
import { fromLists, largest, readLists } from '../quality/data.ts';
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
const executor = pool ?? sequential;
const started = performance.now();
const idle = process.cpuUsage();
const stages: Record<string, number> = {};
let stage = '';
let since = started;
const onProgress = (next: string) => {
  const now = performance.now();
  if (stage) stages[stage] = (stages[stage] ?? 0) + (now - since) / 1000;
  stage = next;
  since = now;
};
const searched = mode === 'search' ? await train({ events }, executor, { onProgress }) : undefined;
const model = searched?.model ?? (await fitModel({ events }, executor, { k: Number(k) }, onProgress));
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(idle);
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
for (const block of encodeModel(model, catalogue)) modelBytes += block.length;
console.log(
  JSON.stringify({
    events: events.item.length,
    users: events.users,
    items: events.items,
    k: model.parameters.k,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    fits: searched?.fits,
    peakBytes,
    modelBytes,
    stages,
  }),
);
