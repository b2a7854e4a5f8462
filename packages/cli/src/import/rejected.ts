import {
  closeSync,
  copyFileSync,
  createReadStream,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';

export interface Rejection {
  /** Its place among the source's rows, from 1. */
  readonly row: number;
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly record?: unknown;
  /** What stands in the source, where that is no record. */
  readonly text?: string;
}

/** The records that were refused, one a line. It is only there when there are some. */
export class RejectedFile {
  readonly path: string;
  #file: number | undefined;
  #count = 0;

  private constructor(path: string) {
    this.path = path;
  }

  /** Begins anew, or keeps what an earlier run wrote of its first `rowsDone` rows: the others are sent again. */
  static async open(path: string, rowsDone: number): Promise<RejectedFile> {
    const file = new RejectedFile(path);
    // A device or a pipe holds nothing that could be kept or removed.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return file;
    if (rowsDone > 0) await file.#keep(rowsDone);
    // What a link leads to may be open elsewhere, as /dev/stdout is: it is emptied where it is.
    else if (isLink(path)) truncateSync(path);
    else rmSync(path);
    return file;
  }

  get count(): number {
    return this.#count;
  }

  /** Written when it returns, so that a record that counts as answered for is in the file even after a crash. */
  add(rejection: Rejection): void {
    this.#file ??= openSync(this.path, 'a');
    writeSync(this.#file, `${JSON.stringify(rejection)}\n`);
    this.#count += 1;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Line by line: there may be many. */
  async #keep(rowsDone: number): Promise<void> {
    const draft = `${this.path}.${process.pid}`;
    const kept = openSync(draft, 'w');
    for await (const line of createInterface({ input: createReadStream(this.path) })) {
      if (rowOf(line) > rowsDone) continue;
      writeSync(kept, `${line}\n`);
      this.#count += 1;
    }
    closeSync(kept);
    if (isLink(this.path)) {
      copyFileSync(draft, this.path);
      rmSync(draft);
    } else renameSync(draft, this.path);
  }
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

/** A last line that was cut off is of no row. */
function rowOf(line: string): number {
  try {
    return (JSON.parse(line) as Rejection).row;
  } catch {
    return Infinity;
  }
}
