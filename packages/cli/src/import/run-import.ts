import type {
  EventRecord,
  ImportFailure,
  ImportOptions,
  ImportReport,
  ItemRecord,
  UserRecord,
} from '@tastegraph/sdk';
import type { Session } from '../session.ts';
import { ImportProgressBar } from '../terminal/import-progress.ts';
import type { Kind } from './fields.ts';
import { LinesUnderWay } from './lines-under-way.ts';
import type { AnyRecord } from './make-records.ts';
import type { RejectedFile } from './rejected.ts';
import { type Cells, type Chunk, Malformed, type Source } from './sources/source.ts';

export interface ImportPlan {
  readonly kind: Kind;
  readonly datasetId: string;
  readonly source: Source;
  readonly chunks: AsyncIterable<Chunk>;
  readonly makeRecord: (cells: Cells) => AnyRecord;
  /** Rows that an earlier run has done. */
  readonly skip: number;
  readonly concurrency: number;
  readonly rejected: RejectedFile;
  readonly onRowsDone: (rows: number) => void;
}

export interface ImportOutcome extends ImportReport {
  /** Of the source, those of earlier runs among them. */
  readonly rows: number;
  readonly seconds: number;
}

/** Sends the rows of a source that are not done yet. Whatever ends it, `onRowsDone` has told how far it came. */
export async function runImport(
  { client, output, signal }: Session,
  plan: ImportPlan,
): Promise<ImportOutcome> {
  const { skip, rejected } = plan;
  const rows = new RowsUnderWay(plan);
  const startedAt = performance.now();
  const progress = new ImportProgressBar(plan.source, output.json ? undefined : process.stderr);
  const options: ImportOptions<AnyRecord> = {
    concurrency: plan.concurrency,
    signal,
    onFailure: (failure) => rejected.add(rows.explain(failure)),
    onProgress: ({ records, perSecond }) => progress.show(skip + records, perSecond, rejected.count),
    onAcknowledged(records) {
      rows.lines.forgetBefore(records);
      plan.onRowsDone(skip + records);
    },
  };
  try {
    const report = await send(client, plan, rows.records(), options);
    return { ...report, rows: rows.count, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    progress.stop();
  }
}

function send(
  client: Session['client'],
  { kind, datasetId }: ImportPlan,
  records: AsyncIterable<AnyRecord[]>,
  options: ImportOptions<AnyRecord>,
): Promise<ImportReport> {
  switch (kind) {
    case 'users':
      return client.importUsers(datasetId, records as AsyncIterable<UserRecord[]>, options);
    case 'items':
      return client.importItems(datasetId, records as AsyncIterable<ItemRecord[]>, options);
    case 'events':
      return client.importEvents(datasetId, records as AsyncIterable<EventRecord[]>, options);
  }
}

/** The rows as records, and where those that are not answered for yet stand in the source. */
class RowsUnderWay {
  count = 0;
  readonly lines = new LinesUnderWay();
  readonly #plan: ImportPlan;
  readonly #malformed = new Map<number, Malformed>();

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
    const { makeRecord, skip } = this.#plan;
    const records: AnyRecord[] = [];
    for (const [place, row] of rows.entries()) {
      const index = this.count - skip;
      this.count += 1;
      if (index < 0) continue;
      this.lines.set(index, lines[place] ?? 0);
      if (row instanceof Malformed) this.#malformed.set(index, row);
      // The SDK counts what is malformed as a record that cannot be sent, in its turn.
      records.push(row instanceof Malformed ? (undefined as unknown as AnyRecord) : makeRecord(row));
    }
    return records;
  }

  explain({ index, id, code, message, record }: ImportFailure<AnyRecord>) {
    const place = { row: this.#plan.skip + index + 1, line: this.lines.get(index) };
    const malformed = this.#malformed.get(index);
    this.#malformed.delete(index);
    if (!malformed) return { ...place, id, code, message, record };
    return { ...place, code: 'ROW_MALFORMED', message: malformed.reason, text: malformed.text };
  }
}
