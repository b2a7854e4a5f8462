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
import { exitCodes } from '../exit-codes.ts';
import { Problem } from '../problem.ts';
import { quoted } from '../terminal/quoted.ts';

/** Enough to tell one file from another that has the same size and time. */
const headBytes = 64 * 1024;

interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  readonly head: string;
}

/** What an import is: the same source to the same place in the same way. */
export interface ImportJob {
  readonly kind: string;
  /** The dataset's id, or the name it was created under. */
  readonly target: string;
  readonly url: string;
  readonly mapping: unknown;
  /** What decides which rows there are and what they hold. */
  readonly reading: unknown;
}

interface State {
  readonly version: 1;
  readonly source: Fingerprint;
  readonly job: ImportJob;
  readonly dataset_id: string;
  /** So many rows from the start are answered for: written, or in the file of rejected records. */
  readonly rows_done: number;
}

function takeFingerprint(path: string): Fingerprint {
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

/**
 * How far an import has come, in a small file beside its source. It is written now and then, whole or not at all; what
 * was answered for since is sent again, which changes nothing, as upserts do not.
 */
export class ImportState {
  readonly path: string;
  readonly #sourcePath: string;
  readonly #source: Fingerprint;
  readonly #job: ImportJob;
  #savedAt = 0;

  constructor(sourcePath: string, job: ImportJob) {
    this.path = `${sourcePath}.import-state.json`;
    this.#sourcePath = sourcePath;
    this.#source = takeFingerprint(sourcePath);
    this.#job = job;
  }

  /** What an earlier run of the same import left; `other` when there is one, but of another import. */
  find(): State | 'other' | undefined {
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

  /** Throws when it cannot be noted how far the import is: better before a dataset is created than after. */
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
    throw new Problem(
      `How far the import is cannot be noted in ${this.path}: ${reason}.`,
      `Make that possible, or copy the file elsewhere; or, unless it is Parquet, give it to stdin: \`tastegraph import ${this.#job.kind} - … < ${quoted(this.#sourcePath)}\`.`,
      exitCodes.failed,
      { code: 'STATE_NOT_WRITABLE' },
    );
  }

  save(datasetId: string, rowsDone: number): void {
    const state: State = {
      ...{ version: 1, source: this.#source, job: this.#job, dataset_id: datasetId, rows_done: rowsDone },
    };
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(state)}\n`);
    renameSync(draft, this.path);
    this.#savedAt = Date.now();
  }

  /** Twice a second: at most half a second's work is done again. */
  saveNowAndThen(datasetId: string, rowsDone: number): void {
    if (Date.now() - this.#savedAt >= 500) this.save(datasetId, rowsDone);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
