import type { FailureCode } from '@tastegraph/contract';
import { TastegraphError } from '../errors.ts';
import type { UpsertMode, UpsertName } from './kinds.ts';

export interface ImportOptions<R> {
  /** MERGE changes only the fields that are sent of records that exist. Default: REPLACE. */
  mode?: UpsertMode;
  /** The maximum number of calls in flight. Default: 4. */
  concurrency?: number;
  /** Called for each rejected record. A returned promise is awaited before the record counts as acknowledged. */
  onFailure?: (failure: ImportFailure<R>) => void | Promise<void>;
  onProgress?: (progress: ImportProgress) => void;
  /** Called with the number of acknowledged records from the start of the source, when it grows. Skip as many to resume an import. */
  onAcknowledged?: (records: number) => void;
  /** Stops the import, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For each call, including its retries and pauses. Default: 120,000. */
  timeoutMs?: number;
  /** The maximum number of retries per call. Default: 10, enough for a restart of the service. */
  maxRetries?: number;
}

export interface ImportFailure<R> {
  readonly record: R;
  /** The index of the record in the source, from 0. */
  readonly index: number;
  /** Undefined if the record has no ID. */
  readonly id: string | undefined;
  readonly code: FailureCode;
  readonly message: string;
}

export interface ImportProgress {
  /** Records that are acknowledged. */
  readonly records: number;
  /** How many of them were rejected. */
  readonly failed: number;
  /** Their size as JSON, before compression. */
  readonly bytes: number;
  /** Records per second, on average since the start. */
  readonly perSecond: number;
}

/** `sent` is the sum of the others. */
export interface ImportReport {
  /** Records that were sent and acknowledged. */
  readonly sent: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Records that were replaced by, or merged with, a later record with the same ID in the same call. */
  readonly replaced: number;
}

/** The import ended early; `cause` is the reason. The calls in flight have ended too, so the counts are final. */
export class ImportError extends TastegraphError {
  /**
   * The number of records from the start of the source that were written, or rejected and passed to `onFailure`. Later
   * records may be written too. To resume the import, skip this many records of the source.
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
      `the import stopped early. To resume it, skip the first ${acknowledged} records of the source, which are done. Cause: ${reason}`,
      { cause },
    );
    this.acknowledged = acknowledged;
    this.report = report;
  }
}
