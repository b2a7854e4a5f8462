import type { MalformedRow } from '@tastegraph/files';
import { formatCount } from '../kernel/lib/format.ts';

interface RejectedRow {
  readonly file: string;
  /** In Parquet, the row. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly record?: unknown;
  /** The start of a row that could not be read. */
  readonly text?: string;
}

/** What is listed is kept in memory until the end. Everything is counted. */
const maxListed = 10_000;
const maxCharacters = 16 * 1024 * 1024;
/** Messages that are counted one by one; a message may contain a value. */
const maxReasons = 1000;
const shownReasons = 3;

/** The records that an import rejects. */
export class Rejected {
  count = 0;
  readonly #lines: string[] = [];
  #characters = 0;
  readonly #reasons = new Map<string, number>();

  /** The reason of a row that could not be read may quote it, so only its beginning counts as the reason. */
  addMalformed(file: string, line: number, { reason, text }: MalformedRow): void {
    const [kind = ''] = reason.split(': ', 1);
    this.add({ file, line, code: 'MALFORMED_ROW', message: reason, text }, `a row ${kind}`);
  }

  add(row: RejectedRow, message = row.message): void {
    this.count++;
    const reason = plainText(message);
    const known = this.#reasons.get(reason);
    if (known !== undefined || this.#reasons.size < maxReasons) this.#reasons.set(reason, (known ?? 0) + 1);
    if (this.#lines.length >= maxListed || this.#characters >= maxCharacters) return;
    const line = `${JSON.stringify(row)}\n`;
    this.#lines.push(line);
    this.#characters += line.length;
  }

  *bytes(): Generator<Buffer> {
    for (const line of this.#lines) yield Buffer.from(line);
  }

  /** Null if nothing was rejected. */
  message(): string | null {
    if (this.count === 0) return null;
    const reasons = [...this.#reasons].toSorted(([, one], [, other]) => other - one);
    const shown = reasons
      .slice(0, shownReasons)
      .map(([reason, count]) => `${reason} (${count.toLocaleString('en')})`);
    const more = reasons.length > shownReasons ? '; and others' : '';
    const isAll = this.#lines.length === this.count;
    const file = isAll
      ? 'The file lists them.'
      : `The file lists ${this.#lines.length.toLocaleString('en')} of them.`;
    return `${formatCount(this.count, 'record')} ${this.count === 1 ? 'was' : 'were'} rejected: ${shown.join('; ')}${more}. ${file}`;
  }
}

/** Long enough for a sentence, short enough for a job's row. */
const maxLength = 500;

/** Text with parts of a file, as PostgreSQL can store it. */
export function plainText(text: string): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.toWellFormed().replaceAll('\0', '\ufffd');
}
