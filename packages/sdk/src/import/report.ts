import type { FailureCode } from '@tastegraph/contract';
import { TastegraphError } from '../errors.ts';
import type { UpsertName } from './kinds.ts';

export interface ImportOptions<R> {
  /** How many calls are under way at once. Default: 4. */
  concurrency?: number;
  /**
   * Is shown each record that was refused. What it returns is waited for before the record counts as
   * acknowledged, so that a list of failures misses none.
   */
  onFailure?: (failure: ImportFailure<R>) => void | Promise<void>;
  onProgress?: (progress: ImportProgress) => void;
  /**
   * Is told how many records from the start of the source are answered for, whenever that grows. Who skips as
   * many can go on with the rest of the source.
   */
  onAcknowledged?: (records: number) => void;
  /** Ends the import, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For each call, with its retries and pauses. Default: 120,000. */
  timeoutMs?: number;
  /** How often each call is repeated, at most. Default: 10, which outlasts a restart of the service. */
  maxRetries?: number;
}

export interface ImportFailure<R> {
  readonly record: R;
  /** The record's place in the source, from 0. */
  readonly index: number;
  /** Undefined when the record has no id that is a string. */
  readonly id: string | undefined;
  readonly code: FailureCode;
  readonly message: string;
}

export interface ImportProgress {
  /** Records that are answered for. */
  readonly records: number;
  /** Of those, refused. */
  readonly failed: number;
  /** Their size as JSON, before compression. */
  readonly bytes: number;
  /** Records, on average from the start. */
  readonly perSecond: number;
}

/** `sent` is the sum of the others. */
export interface ImportReport {
  /** Records that were sent and are answered for. */
  readonly sent: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Not written because a later record of the same call has the same id. */
  readonly replaced: number;
}

/**
 * The import ended early; `cause` says why. The calls that were under way have ended too, so that what is counted
 * here is final.
 */
export class ImportError extends TastegraphError {
  /**
   * So many records from the start of the source are answered for: written, or refused and shown to `onFailure`.
   * Later ones may be written too. To go on, import the source again from there.
   */
  readonly acknowledged: number;
  readonly report: ImportReport;

  static {
    this.prototype.name = 'ImportError';
  }

  constructor(operation: UpsertName, acknowledged: number, report: ImportReport, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      operation,
      `the import ended early; the first ${acknowledged} records of the source are done, go on from there. The reason: ${reason}`,
      { cause },
    );
    this.acknowledged = acknowledged;
    this.report = report;
  }
}
