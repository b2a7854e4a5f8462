import {
  type AnyRecord,
  type Cells,
  type Chunk,
  type Kind,
  MalformedRow,
  type Source,
  sendRecords,
} from '@tastegraph/files';
import type { ImportFailure, ImportOptions, ImportReport } from '@tastegraph/sdk';
import type { Session } from '../session.ts';
import { ImportProgressBar } from '../terminal/import-progress.ts';
import { PendingLines } from './pending-lines.ts';
import type { RejectedFile } from './rejected.ts';

export interface ImportPlan {
  readonly kind: Kind;
  readonly datasetId: string;
  readonly source: Source;
  readonly chunks: AsyncIterable<Chunk>;
  readonly toRecord: (cells: Cells) => AnyRecord;
  /** Rows to skip, because an earlier run imported them or --skip-rows says so. */
  readonly skip: number;
  readonly concurrency: number;
  readonly mode: 'REPLACE' | 'MERGE';
  readonly rejected: RejectedFile;
  readonly onRowsDone: (rows: number) => void;
}

export interface ImportOutcome extends ImportReport {
  /** Rows in the source, including skipped ones. */
  readonly rows: number;
  readonly seconds: number;
}

/** Sends the rows after `skip`. Even if it fails, `onRowsDone` has reported all acknowledged rows. */
export async function runImport(
  { client, output, signal }: Session,
  plan: ImportPlan,
): Promise<ImportOutcome> {
  const { skip, rejected } = plan;
  const rows = new PendingRows(plan);
  const startedAt = performance.now();
  const progress = new ImportProgressBar(plan.source, output.json ? undefined : process.stderr);
  const options: ImportOptions<AnyRecord> = {
    concurrency: plan.concurrency,
    mode: plan.mode,
    signal,
    onFailure: (failure) => rejected.add(rows.toRejection(failure)),
    onProgress: ({ records, perSecond }) => progress.show(skip + records, perSecond, rejected.count),
    onAcknowledged(records) {
      rows.lines.dropBefore(records);
      plan.onRowsDone(skip + records);
    },
  };
  try {
    const report = await sendRecords(client, plan, rows.records(), options);
    return { ...report, rows: rows.count, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    progress.stop();
  }
}

/** Converts rows to records and keeps the source lines of those that are not acknowledged yet. */
class PendingRows {
  count = 0;
  readonly lines = new PendingLines();
  readonly #plan: ImportPlan;
  readonly #malformed = new Map<number, MalformedRow>();

  constructor(plan: ImportPlan) {
    this.#plan = plan;
  }

  async *records(): AsyncGenerator<AnyRecord[]> {
    for await (const chunk of this.#plan.chunks) {
      const records = this.#take(chunk);
      if (records.length > 0) yield records;
    }
  }

  #take({ rows, lines }: Chunk): AnyRecord[] {
    const { toRecord, skip } = this.#plan;
    const records: AnyRecord[] = [];
    for (const [offset, row] of rows.entries()) {
      const index = this.count - skip;
      this.count += 1;
      if (index < 0) continue;
      this.lines.set(index, lines[offset] ?? 0);
      if (row instanceof MalformedRow) this.#malformed.set(index, row);
      // The SDK reports undefined as a failed record, in order.
      records.push(row instanceof MalformedRow ? (undefined as unknown as AnyRecord) : toRecord(row));
    }
    return records;
  }

  toRejection({ index, id, code, message, record }: ImportFailure<AnyRecord>) {
    const position = { row: this.#plan.skip + index + 1, line: this.lines.get(index) };
    const malformed = this.#malformed.get(index);
    this.#malformed.delete(index);
    if (!malformed) return { ...position, id, code, message, record };
    return { ...position, code: 'MALFORMED_ROW', message: malformed.reason, text: malformed.text };
  }
}
