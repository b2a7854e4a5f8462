import type { JobType } from '@tastegraph/contract';
import type { AccountContents } from './accounts/contents.ts';
import type { ApiError } from './http/api-error.ts';
import type { Handlers } from './http/handlers.ts';
import type { Deleting, Hooks } from './http/hooks.ts';
import type { HttpPart } from './http/part.ts';
import type { JobDefinition } from './jobs/engine/job-definition.ts';
import type { MetricDefinition } from './kernel/observability/metrics.ts';
import type { Database, Queryable } from './kernel/postgres/pool.ts';
import type { Attributed } from './outcomes/attribution/attributed.ts';
import type { Services } from './services.ts';

/** One step of a task. Returns whether there is more to do at once. */
export type TaskStep = () => Promise<boolean>;

/** Work that workers repeat until they stop: at once while there is more to do, otherwise after a pause. */
export interface PeriodicTask {
  /** As in "failed to … ; will retry". */
  readonly name: string;
  readonly pauseMs: number;
  /** Called once per worker. */
  readonly open: () => Promise<(services: Services) => TaskStep>;
}

/** Work that has a rhythm of its own, until the worker stops. */
export interface ContinuousTask {
  readonly run: () => Promise<(services: Services) => Promise<void>>;
}

/** Flags of a command, by name. */
interface AdminFlags {
  readonly flags: Readonly<Partial<Record<'name' | 'role', string>>>;
  /** Throws if the flag is missing. */
  readonly requireFlag: (name: 'account' | 'email') => string;
}

/** A command for the operator. What it returns is printed. */
export type AdminCommand = (db: Database, flags: AdminFlags, config: Services['config']) => Promise<object>;

/**
 * A feature: all that the processes know of it. `processes/modules.ts` lists every one; nobody else imports an index. What takes time or
 * memory to load is imported by the roles that need it: a serving process must load neither DuckDB nor an importer.
 */
export interface Module {
  readonly name: string;
  /** Only its own rows write them. */
  readonly tables: readonly string[];
  /** Operations of the api role. One that no module answers does not compile. */
  readonly api?: () => Promise<(services: Services) => Handlers | Promise<Handlers>>;
  readonly http?: () => Promise<(services: Services) => HttpPart | Promise<HttpPart>>;
  /** Runs once the process answers calls. */
  readonly started?: () => Promise<(services: Services) => Promise<void>>;
  readonly jobs?: { readonly [Type in JobType]?: () => Promise<JobDefinition<Type>> };
  /** What it has of an account. */
  readonly account?: () => Promise<AccountContents>;
  /** Commands of `tastegraph-server admin`, which lists them. */
  readonly admin?: { readonly [name: string]: () => Promise<AdminCommand> };
  readonly tasks?: readonly (PeriodicTask | ContinuousTask)[];
  /** Every process exposes them, also one that never counts them. */
  readonly metrics?: readonly MetricDefinition[];
  /** What it does when something happens elsewhere, and what it says when it is asked. */
  readonly on?: {
    readonly announce?: Hooks['announce'];
    readonly forgetUser?: Hooks['forgetUser'];
    readonly attributed?: Attributed;
    readonly neededBy?: {
      readonly [What in Deleting['what']]?: (
        db: Queryable,
        row: Extract<Deleting, { what: What }>,
      ) => Promise<ApiError | undefined>;
    };
  };
}
