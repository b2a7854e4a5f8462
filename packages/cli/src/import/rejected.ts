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
  /** Row number in the source, from 1. */
  readonly row: number;
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly record?: unknown;
  /** The text in the source, if it is not a valid row. */
  readonly text?: string;
}

/** Records that were rejected for the same reason. */
export interface RejectedKind {
  /** The first one. */
  readonly line: number;
  readonly message: string;
  readonly value: unknown;
  count: number;
}

/** Reasons to keep for the summary; the file has all. */
const maxKinds = 5;

/** The file of rejected records, one per line. It is created with the first rejection. */
export class RejectedFile {
  readonly path: string;
  #file: number | undefined;
  #count = 0;
  readonly #kinds = new Map<string, RejectedKind>();

  private constructor(path: string) {
    this.path = path;
  }

  /** Empties the file, except for rejections among the first `rowsDone` rows: the other rows are sent again. */
  static async open(path: string, rowsDone: number): Promise<RejectedFile> {
    const file = new RejectedFile(path);
    // A device or a pipe has no content to keep or remove.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return file;
    if (rowsDone > 0) await file.#keep(rowsDone);
    // The target of a link may be open elsewhere, as /dev/stdout is, so it is truncated in place.
    else if (isLink(path)) truncateSync(path);
    else rmSync(path);
    return file;
  }

  get count(): number {
    return this.#count;
  }

  /** The first reasons of this run, in the order of the source. */
  get kinds(): RejectedKind[] {
    return [...this.#kinds.values()].toSorted((a, b) => a.line - b.line);
  }

  /** Writes synchronously, so that the rejection of an acknowledged row survives a crash. */
  add(rejection: Rejection): void {
    this.#file ??= openSync(this.path, 'a');
    writeSync(this.#file, `${JSON.stringify(rejection)}\n`);
    this.#count += 1;
    const { line, message } = rejection;
    const known = this.#kinds.get(message);
    if (known) known.count += 1;
    else if (this.#kinds.size < maxKinds)
      this.#kinds.set(message, { line, message, value: valueIn(rejection), count: 1 });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Streams the file, which may be large. */
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

/** The value that a message such as "event_value must be >= 0" or "attributes.price must be a number" is about. */
function valueIn({ message, record, text }: Rejection): unknown {
  const [path = ''] = message.split(' ');
  const value = path
    .split('.')
    .reduce<unknown>(
      (part, name) => (isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined),
      record,
    );
  return value ?? text;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

/** The last line may be incomplete after a crash; it is dropped. */
function rowOf(line: string): number {
  try {
    return (JSON.parse(line) as Rejection).row;
  } catch {
    return Infinity;
  }
}
