import pg from 'pg';
import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { type CollectedPart, EventCollector, ItemNumbers } from './event-collector.ts';
import { EventTypes } from './event-types.ts';
import type { RangeTask } from './protocol.ts';
import { beginSnapshot, copyEvents, trainingConnection } from './rows/training-rows.ts';

/** Rows between two reports of progress. */
const rowsPerReport = 10_000;

/** Reads the events of a range of users, in the snapshot of the thread that started this one. */
async function run(task: RangeTask, { signal, report }: ThreadContext): Promise<CollectedPart> {
  const { source, namedTypes } = task;
  const client = new pg.Client(trainingConnection(task.databaseUrl));
  const close = () => void client.end().catch(() => undefined);
  client.on('error', () => undefined);
  signal.addEventListener('abort', close);
  try {
    await client.connect();
    await beginSnapshot(client, task.snapshot);
    report('reading', 0, '');
    let rows = 0;
    const step = () => {
      if (++rows % rowsPerReport === 0) report('reading', rows / task.eventCount, '');
    };
    const collector = new EventCollector({
      ...task,
      numbers: new ItemNumbers(),
      types: new EventTypes(source.target_event_type, namedTypes),
      progress: { step },
    });
    await copyEvents(client, source, collector.onRow, task.times, task.range);
    report('reading', rows / task.eventCount, '');
    return collector.part();
  } finally {
    close();
  }
}

await runThreadWork(run);
