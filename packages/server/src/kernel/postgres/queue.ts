import type { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import type { Database, Queryable } from './pool.ts';

/**
 * Delivers jobs to workers, with pg-boss. A delivery is one attempt of one job: the transaction that makes the job
 * PENDING inserts it, and the one that makes it RUNNING removes it. So the queue contains exactly the waiting jobs, and
 * the job's row is the only source of its status. pg-boss's retries, heartbeats and states are not used: they would
 * duplicate that status and change at other times.
 */
export interface JobQueue {
  /** Part of the caller's transaction. */
  send(tx: Queryable, delivery: Delivery, order: DeliveryOrder): Promise<void>;
  /**
   * The next due delivery of another group than these: lowest fair rank first, then oldest. Removed from the queue when
   * `tx` commits.
   */
  take<Type extends string>(
    tx: Queryable,
    jobType: Type,
    exceptGroups?: readonly string[],
  ): Promise<Delivery<Type> | undefined>;
  close(): Promise<void>;
}

interface Delivery<Type extends string = string> {
  readonly jobType: Type;
  readonly jobKey: number;
  /** The number of attempts when it was sent. A delivery of an earlier attempt is stale. */
  readonly attempt: number;
}

interface DeliveryOrder {
  /** Whose delivery it is: `take` can leave some out. */
  readonly group: string;
  readonly fairRank: number;
  readonly afterSeconds: number;
}

const schema = 'pgboss';
/** One queue per type, so that jobs of seconds never wait behind jobs of hours. */
const queueOf = (type: string) => type.toLowerCase();

/** No background work: no maintenance (nothing needs it), no schedules, no migration at start. */
const passive = { schema, supervise: false, schedule: false } as const;

/** Part of `migrate`: creates pg-boss's schema, at the library's version, and our queues. */
export async function migrateQueues(url: string, jobTypes: readonly string[]): Promise<void> {
  const boss = new PgBoss({ ...passive, connectionString: url, max: 1 });
  const failures: unknown[] = [];
  boss.on('error', (error) => failures.push(error));
  await boss.start();
  try {
    for (const name of jobTypes.map(queueOf))
      if (!(await boss.getQueue(name))) await boss.createQueue(name, { retryLimit: 0 });
  } finally {
    await boss.stop({ graceful: false });
  }
  if (failures.length > 0) throw failures[0];
}

/** The first job type without a queue: it was added since the last `migrate`. */
export async function findMissingQueue<Type extends string>(
  client: Client,
  jobTypes: readonly Type[],
): Promise<Type | undefined> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.queue`);
  const queues = new Set(rows.map(({ name }) => name));
  return jobTypes.find((type) => !queues.has(queueOf(type)));
}

/** Uses the process's connection pool. */
export async function openQueue(db: Database, onError: (error: unknown) => void): Promise<JobQueue> {
  const boss = new PgBoss({ ...passive, db: executorOf(db), migrate: false });
  boss.on('error', onError);
  await boss.start();
  return {
    async send(tx, { jobType, jobKey, attempt }, { group, fairRank, afterSeconds }) {
      const id = await boss.send(
        queueOf(jobType),
        { jobKey, attempt },
        {
          db: executorOf(tx),
          priority: -fairRank,
          group: { id: group },
          startAfter: afterSeconds,
          // Longer than any job waits: if the queue dropped a delivery, its job would stay PENDING forever.
          retentionSeconds: tenYearsSeconds,
        },
      );
      if (id === null) throw new Error('the queue did not accept the job');
    },

    async take(tx, jobType, exceptGroups = []) {
      const executor = executorOf(tx);
      const name = queueOf(jobType);
      const [taken] = await boss.fetch<Omit<Delivery, 'jobType'>>(name, {
        db: executor,
        ignoreGroups: [...exceptGroups],
      });
      if (!taken) return undefined;
      await boss.deleteJob(name, taken.id, { db: executor });
      return { jobType, jobKey: taken.data.jobKey, attempt: taken.data.attempt };
    },

    close: () => boss.stop({ graceful: false }),
  };
}

const tenYearsSeconds = 10 * 365 * 24 * 3600;

/** Not prepared: the text of pg-boss's statements varies. */
function executorOf(db: Queryable) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await db.rows<unknown>({ name: '', text }, values),
    }),
  };
}
