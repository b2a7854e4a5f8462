import type { Hooks } from '../../http/hooks.ts';
import type { Duck } from '../../kernel/files/duckdb.ts';
import type { Database, Transaction } from '../../kernel/postgres/pool.ts';
import type { DecisionFile } from '../rows/decision-files.ts';
import type { AttributionFile } from '../rows/outcomes.ts';
import type { FileCopies } from './file-copies.ts';

/** The files that hold the answers of a project and the events that were attributed to them. */
export interface LoggedFiles {
  readonly duck: Duck;
  readonly copies: Pick<FileCopies, 'paths'>;
  readonly decisions: readonly DecisionFile[];
  readonly attributions: readonly AttributionFile[];
}

/** A run that has attributed the events of a project, before it publishes anything. */
export interface AttributedRun extends LoggedFiles {
  readonly db: Database;
  readonly hooks: Hooks;
  readonly projectKey: number;
  readonly accountId: string;
  /** Answers of earlier days have expired. */
  readonly sinceTs: number;
}

/** Computes figures from the files of a run. What it returns writes them, in the transaction in which the run is published. */
export type Attributed = (run: AttributedRun) => Promise<(tx: Transaction) => Promise<void>>;
