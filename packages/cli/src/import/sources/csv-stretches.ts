/** Whole rows, or where there is a problem, the one line that it begins on; each to the end of its newline. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly problem?: string;
}

/** How the source is written. */
export interface Dialect {
  readonly delimiter: string;
  readonly newline: '\r\n' | '\n' | '\r';
}

const strayQuote = 'has a quote within a quoted cell, which must be doubled there';
const openQuote = 'has a quote that is not closed';

/** Where the cell that is opened by a quote ends: after its delimiter or newline, or why it does not. */
type CellEnd = { readonly at: number; readonly endsRow: boolean } | 'stray' | 'open';

/**
 * Parts text at rows whose quotes are broken. Of such a row only its first line is given up, and the next line is
 * taken for a row again: a stray quote must not swallow what follows. What is left after the last stretch is a row
 * that goes on in the next piece; in the last piece nothing is.
 */
export function* stretches(text: string, dialect: Dialect, isLastPiece: boolean): Generator<Stretch> {
  const { delimiter, newline } = dialect;
  let from = 0;
  let row = 0;
  let at = 0;
  let opened: number[] = [];
  // Quotes that were followed to a problem once: rows that begin on the lines between come upon the same ones, and
  // would each follow them through the whole text again.
  const lost = new Map<number, string>();
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
    const begun = lastRowIn(text, at, quote, newline);
    if (begun !== undefined) {
      row = begun;
      opened = [];
    }
    if (quote !== row && !text.startsWith(delimiter, quote - delimiter.length)) {
      at = quote + 1;
      continue;
    }
    opened.push(quote);
    const known = lost.get(quote);
    const end = known === undefined ? endOfCell(text, quote, dialect) : 'stray';
    if (typeof end === 'object') {
      at = end.at;
      if (!end.endsRow) continue;
      row = at;
      opened = [];
      continue;
    }
    const lineEnd = text.indexOf(newline, row);
    if (from < row) yield { from, to: row };
    if (!isLastPiece && (end === 'open' || lineEnd < 0)) return;
    const problem = known ?? (end === 'open' ? openQuote : strayQuote);
    for (const one of opened) lost.set(one, problem);
    const to = lineEnd + newline.length;
    yield { from: row, to, problem };
    from = row = at = to;
    opened = [];
  }
  const to = lastRowIn(text, at, text.length, newline) ?? row;
  if (from < to) yield { from, to };
}

/** Where the last row begins that begins in a part without quotes. */
function lastRowIn(text: string, from: number, to: number, newline: string): number | undefined {
  const ended = text.slice(from, to).lastIndexOf(newline);
  return ended < 0 ? undefined : from + ended + newline.length;
}

/** As Papa has it: a doubled quote is one of the text, and blanks may follow the last. */
function endOfCell(text: string, quote: number, { delimiter, newline }: Dialect): CellEnd {
  for (let close = text.indexOf('"', quote + 1); close >= 0; close = text.indexOf('"', close + 2)) {
    if (text[close + 1] === '"') continue;
    let after = close + 1;
    const isAt = (mark: string) => text.startsWith(mark, after);
    while (after < text.length && !isAt(delimiter) && !isAt(newline) && isBlank(text, after)) after += 1;
    if (isAt(delimiter)) return { at: after + delimiter.length, endsRow: false };
    if (isAt(newline)) return { at: after + newline.length, endsRow: true };
    // The delimiter may go on in the next piece.
    return after + Math.max(delimiter.length, newline.length) > text.length ? 'open' : 'stray';
  }
  return 'open';
}

const isBlank = (text: string, at: number) => (text[at] ?? '').trim() === '';
