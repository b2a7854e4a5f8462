import { PgBoss } from 'pg-boss';
import type { JobType } from './jobs.ts';
import type { Database, Queryable } from './pool.ts';

/**
 * Delivers jobs to workers, by pg-boss. A delivery is one attempt of one job: it is put in by the transaction that makes
 * the job PENDING and taken out by the one that makes it RUNNING, so the queue holds just what waits, and how a job stands is
 * said in one place, its row. pg-boss's own retries, heartbeats and states are not used: they would be a second account of
 * the same things, changed at other moments.
 */
export interface JobQueue {
  /** In the caller's transaction: rolled back with it. */
  send(tx: Queryable, delivery: Delivery, when: { turn: number; afterSeconds: number }): Promise<void>;
  /** The next that is due, lowest turn first and oldest first among equals; out of the queue when `tx` commits. */
  take(tx: Queryable, jobType: JobType): Promise<Delivery | undefined>;
  close(): Promise<void>;
}

interface Delivery {
  readonly jobType: JobType;
  readonly jobKey: number;
  /** How many attempts there were when it was sent; a delivery of an earlier one is stale. */
  readonly attempt: number;
}

const schema = 'pgboss';
/** A queue a type, so that what takes seconds never waits behind what takes hours. */
const queueOf = {
  TRAINING: 'training',
  DEPLOYMENT: 'deployment',
  QUERYING: 'querying',
  CLUSTERING: 'clustering',
} as const satisfies Record<JobType, string>;

/** Nothing runs by itself: no maintenance (nothing stays that would need it), no schedules, no migration at start. */
const passive = { schema, supervise: false, schedule: false } as const;

/** Part of `migrate`: pg-boss's own schema, at the version of the library, and our queues in it. */
export async function migrateQueue(url: string): Promise<void> {
  const boss = new PgBoss({ ...passive, connectionString: url, max: 1 });
  const failures: unknown[] = [];
  boss.on('error', (error) => failures.push(error));
  await boss.start();
  try {
    for (const name of Object.values(queueOf))
      if (!(await boss.getQueue(name))) await boss.createQueue(name, { retryLimit: 0 });
  } finally {
    await boss.stop({ graceful: false });
  }
  if (failures.length > 0) throw failures[0];
}

/** Over the process's own connections. */
export async function openQueue(db: Database, onError: (error: unknown) => void): Promise<JobQueue> {
  const boss = new PgBoss({ ...passive, db: executorOf(db), migrate: false });
  boss.on('error', onError);
  await boss.start();
  return {
    async send(tx, { jobType, jobKey, attempt }, { turn, afterSeconds }) {
      const id = await boss.send(
        queueOf[jobType],
        { jobKey, attempt },
        {
          db: executorOf(tx),
          priority: -turn,
          startAfter: afterSeconds,
          // As long as a job may wait for a worker: a queue that loses jobs by itself would leave them PENDING for ever.
          retentionSeconds: tenYearsSeconds,
        },
      );
      if (id === null) throw new Error('the queue did not take the job');
    },

    async take(tx, jobType) {
      const executor = executorOf(tx);
      const name = queueOf[jobType];
      const [taken] = await boss.fetch<Omit<Delivery, 'jobType'>>(name, { db: executor });
      if (!taken) return undefined;
      await boss.deleteJob(name, taken.id, { db: executor });
      return { jobType, jobKey: taken.data.jobKey, attempt: taken.data.attempt };
    },

    close: () => boss.stop({ graceful: false }),
  };
}

const tenYearsSeconds = 10 * 365 * 24 * 3600;

/** pg-boss's statements vary in their text with what is asked, so they have no name to be kept under. */
function executorOf(db: Queryable) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await db.rows<unknown>({ name: '', text }, values),
    }),
  };
}
