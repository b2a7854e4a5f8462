import { createHash } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { shellQuote } from '../terminal/format.ts';

/** Enough to distinguish files with the same size and modification time. */
const headBytes = 64 * 1024;

interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  readonly head: string;
}

/** Identifies an import, together with its source. An import can be resumed only if all fields are unchanged. */
export interface ImportJob {
  readonly kind: string;
  /** The ID of the dataset, or the name passed to --create. */
  readonly target: string;
  readonly url: string;
  readonly mapping: unknown;
  /** The options that determine the rows and their content. */
  readonly readOptions: unknown;
}

interface State {
  readonly version: 1;
  readonly source: Fingerprint;
  readonly job: ImportJob;
  readonly dataset_id: string;
  /** Rows from the start that are either written or in the file of rejected records. */
  readonly rows_done: number;
}

function fingerprint(path: string): Fingerprint {
  const { size, mtimeMs } = statSync(path);
  const head = Buffer.alloc(Math.min(size, headBytes));
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return { size, mtimeMs, head: createHash('sha256').update(head).digest('hex') };
}

/** The progress of an import, written atomically twice a second. Rows since then are sent again, which changes nothing: upserts are idempotent. */
export class ImportState {
  readonly path: string;
  readonly #sourcePath: string;
  readonly #source: Fingerprint;
  readonly #job: ImportJob;
  #savedAt = 0;

  constructor(sourcePath: string, job: ImportJob) {
    this.path = `${sourcePath}.import-state.json`;
    this.#sourcePath = sourcePath;
    this.#source = fingerprint(sourcePath);
    this.#job = job;
  }

  /** The state that an earlier run of this import left; `other` if the file is from another import. */
  load(): State | 'other' | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch {
      return undefined;
    }
    try {
      const state = JSON.parse(text) as State;
      const same = JSON.stringify([state.version, state.source, state.job]);
      return same === JSON.stringify([1, this.#source, this.#job]) ? state : 'other';
    } catch {
      return 'other';
    }
  }

  /** Throws if the state file cannot be written, before a dataset is created. */
  checkWritable(): void {
    const isFolder = statSync(this.path, { throwIfNoEntry: false })?.isDirectory();
    let reason = isFolder ? 'it is a folder' : undefined;
    try {
      const draft = `${this.path}.${process.pid}`;
      writeFileSync(draft, '');
      rmSync(draft);
    } catch (error) {
      reason = (error as Error).message;
    }
    if (reason === undefined) return;
    throw new CliError(
      `Cannot write the progress of the import to ${this.path}: ${reason}.`,
      `Make the path writable, or copy the source elsewhere. Unless the source is Parquet, you can also pass it on stdin: \`tastegraph import ${this.#job.kind} - … < ${shellQuote(this.#sourcePath)}\`.`,
      exitCodes.failed,
      { code: 'STATE_NOT_WRITABLE' },
    );
  }

  save(datasetId: string, rowsDone: number): void {
    const state: State = {
      version: 1,
      source: this.#source,
      job: this.#job,
      dataset_id: datasetId,
      rows_done: rowsDone,
    };
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(state)}\n`);
    renameSync(draft, this.path);
    this.#savedAt = Date.now();
  }

  /** Saves at most twice a second, so that at most half a second of work is repeated. */
  saveThrottled(datasetId: string, rowsDone: number): void {
    if (Date.now() - this.#savedAt >= 500) this.save(datasetId, rowsDone);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
