import type { JobType } from '@tastegraph/contract';
import type { AccountContents } from './accounts/contents.ts';
import type { Config, Role } from './config.ts';
import type { Hooks } from './http/hooks.ts';
import type { JobDefinition } from './jobs/engine/job-definition.ts';
import type { Closers } from './kernel/lib/closers.ts';
import type { ObjectsSettings } from './kernel/objects/open.ts';
import type { ObjectStore } from './kernel/objects/store.ts';
import type { Log } from './kernel/observability/log.ts';
import type { Metrics } from './kernel/observability/metrics.ts';
import type { Database } from './kernel/postgres/pool.ts';
import type { JobQueue } from './kernel/postgres/queue.ts';
import type { ReadServers } from './kernel/postgres/read-servers.ts';
import type { Redis } from './kernel/redis/client.ts';
import type { Attributed } from './outcomes/attribution/attributed.ts';

/** Where a process reads from. */
export interface Reads {
  /** For recommendation calls: the replica, if there is one. */
  readonly serving: Database;
  /** For what the replica may not have yet: the primary, unless it is gone. The same as `serving` without a replica. */
  readonly current: Database;
  /** For authentication: as `current`, with other connections to the primary. */
  readonly control: Database;
  /** Undefined without a replica. */
  readonly servers: ReadServers | undefined;
}

/** What a process offers to all modules. */
export interface Services {
  /** Only `config.ts` reads the environment. */
  readonly config: Config;
  readonly role: Role;
  /** Unique, also across restarts. */
  readonly processId: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** For the operations of the API and the work of jobs. */
  readonly db: Database;
  /** For recommendation calls. */
  readonly servingDb: Database;
  readonly servingConnections: number;
  /** For authentication, tokens and readiness. Never used by operations. */
  readonly controlDb: Database;
  /** What recommendation calls and authentication read: the same servers, or a replica. */
  readonly reads: Reads;
  readonly queue: JobQueue;
  readonly redis: Redis | undefined;
  readonly store: ObjectStore;
  /** For a thread that opens the store itself. */
  readonly objects: ObjectsSettings;
  readonly closers: Closers;
  /** Aborted when the process starts to stop, before anything is closed. */
  readonly stopping: AbortSignal;
  readonly hooks: Hooks;
  /** Computes what other modules know of the answers that were just attributed. Returns what publishes it. */
  readonly attributed: Attributed;
  /** Of all modules, in the order in which they must be removed. */
  readonly accountContents: () => Promise<readonly AccountContents[]>;
  /** Whether the JSON results of a job type name users only in `user_id` fields. False for types that this release does not know. */
  readonly hasUserIdFields: (jobType: string) => Promise<boolean>;
  readonly jobDefinition: <Type extends JobType>(type: Type) => Promise<JobDefinition<Type>>;
}
