import { SourceError } from '../source-error.ts';

/** Text with equal rows compresses well, so some is free. */
const freeBytes = 4 * 1024 * 1024;
/** Exports of real data compress to a twentieth, logs to a fiftieth. */
const maxRatio = 200;

/** How much a file of a stranger may decompress to. */
export class ReadLimits {
  readonly #maxBytes: number;
  #bytes = 0;

  /** Of all files that share the limits, decompressed. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new SourceError(
        `The files have more than ${formatGigabytes(this.#maxBytes)} when decompressed, which is the limit.`,
        'Import fewer files per job, or ask the operator to raise IMPORT_MAX_GB.',
        'LIMIT',
      );
  }

  /** For a file that was decompressed so far from `compressed` to `plain` bytes. */
  checkRatio(plain: number, compressed: number): void {
    if (plain > freeBytes && plain > maxRatio * compressed)
      throw new SourceError(
        `The file decompresses to more than ${maxRatio} times its size, which rows that differ do not.`,
        'Decompress it, and submit the job again.',
        'LIMIT',
      );
  }
}

const formatGigabytes = (bytes: number) => `${(bytes / 1e9).toLocaleString('en')} GB`;
