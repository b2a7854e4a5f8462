import type { TreeCost } from './watch-tree.ts';

/** A recommendation service, from records to answers over HTTP. Every item of `lists` came from its API. */
export interface ProductRun extends TreeCost {
  readonly importSeconds: number;
  /** From the end of the import until every user asked has a list. */
  readonly firstSeconds: number;
  readonly lists: ReadonlyMap<number, readonly number[]>;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Of the service alone, while calls are answered. */
  readonly residentBytes: number;
}

/** Of the lists that are compared. */
export const listLength = 20;
/** Calls at once, while rates are measured. */
export const connections = 16;
export const floodSeconds = 5;
