import { availableParallelism } from 'node:os';
import { train } from '@tastegraph/algorithms/g1';
import { startThreads } from '@tastegraph/algorithms/threads';
import { fromLists, largest, readPlainLists } from '../quality/data.ts';
import { byModel } from '../quality/measure.ts';
import { listLength } from './product.ts';

/** G1 as a program like the other peers: reads the file of its first argument, prints parameters and lists as JSON. */
const known = readPlainLists(process.argv[2] ?? '');
const threads = startThreads(availableParallelism());
const { model, fits } = await train(
  { events: fromLists(known, false, largest(known.values()) + 1) },
  threads,
);
await threads.close();
const recommend = byModel(model, listLength);
const lists = Object.fromEntries(
  [...known].map(([user, items]) => [user, recommend({ items, relevant: [] })]),
);
console.log(JSON.stringify({ parameters: {}, tried: fits, lists }));
