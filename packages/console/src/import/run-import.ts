import {
  type AnyRecord,
  createRecordMapper,
  MalformedRow,
  type Mapping,
  sendRecords,
} from '@tastegraph/files';
import type { ImportOptions, ImportReport, Tastegraph } from '@tastegraph/sdk';
import { formatNumberOf } from '../format.ts';
import type { OpenedFile } from './open-file.ts';

export interface Rejection {
  /** In the file, from 1. */
  readonly line: number;
  readonly id: string | undefined;
  readonly message: string;
}

export interface ImportState {
  readonly share: number;
  readonly records: number;
  readonly failed: number;
}

/** More are counted, not kept. */
const maxRejections = 200;

interface ImportPlan {
  readonly opened: OpenedFile;
  readonly mapping: Mapping;
  readonly datasetId: string;
  readonly mode: 'REPLACE' | 'MERGE';
}

/** Sends a file's rows to a dataset. A row that cannot be read or written is rejected, with its line and the reason. */
export async function runImport(
  client: Tastegraph,
  { opened, mapping, datasetId, mode }: ImportPlan,
  onState: (state: ImportState) => void,
  signal: AbortSignal,
): Promise<{ report: ImportReport; rejections: readonly Rejection[] }> {
  const rejections: Rejection[] = [];
  const rows = new Rows(opened, mapping);
  const options: ImportOptions<AnyRecord> = {
    signal,
    mode,
    onProgress: ({ records, failed }) => onState({ share: opened.progress(), records, failed }),
    onFailure({ index, id, message }) {
      const { line, problem } = rows.take(index);
      if (rejections.length < maxRejections) rejections.push({ line, id, message: problem ?? message });
    },
    onAcknowledged: (records) => rows.forgetBefore(records),
  };
  const report = await sendRecords(client, { kind: mapping.kind, datasetId }, rows.records(), options);
  return { report, rejections };
}

/** Rows as records, with the lines of those that the service has not acknowledged yet. */
class Rows {
  readonly #opened: OpenedFile;
  readonly #toRecord: ReturnType<typeof createRecordMapper>;
  readonly #pending = new Map<number, { line: number; problem: string | undefined }>();
  #count = 0;
  #forgotten = 0;

  constructor(opened: OpenedFile, mapping: Mapping) {
    this.#opened = opened;
    this.#toRecord = createRecordMapper(mapping, opened.columns);
  }

  async *records(): AsyncGenerator<AnyRecord[]> {
    for await (const { rows, lines } of this.#opened.chunks)
      yield rows.map((row, offset) => {
        const problem = row instanceof MalformedRow ? `The row ${row.reason}.` : undefined;
        this.#pending.set(this.#count, { line: lines[offset] ?? 0, problem });
        this.#count += 1;
        // The SDK reports undefined as a failed record, in order.
        return row instanceof MalformedRow ? (undefined as unknown as AnyRecord) : this.#toRecord(row);
      });
  }

  take(index: number): { line: number; problem: string | undefined } {
    return this.#pending.get(index) ?? { line: 0, problem: undefined };
  }

  forgetBefore(count: number): void {
    for (; this.#forgotten < count; this.#forgotten += 1) this.#pending.delete(this.#forgotten);
  }
}

/** Every row is in it. */
export function accountOf({ succeeded, replaced, failed }: ImportReport): string {
  const parts = [
    `${formatNumberOf(succeeded, 'record')} imported`,
    replaced > 0 && `${formatNumberOf(replaced, 'row')} with the ID of a later row`,
    failed > 0 && `${formatNumberOf(failed, 'row')} rejected`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
