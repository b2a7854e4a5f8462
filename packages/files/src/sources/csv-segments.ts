/** One or more complete rows, or the single line on which a broken row starts; both include the newline. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly problem?: string;
}

/** Delimiter and newline of the source. */
export interface Dialect {
  readonly delimiter: string;
  readonly newline: '\r\n' | '\n' | '\r';
}

const strayQuote = 'has an unescaped quote inside a quoted cell (write it twice)';
const openQuote = 'has an unclosed quote';

/** Where a quoted cell ends, after its delimiter or newline, or why it does not end. */
type CellEnd = { readonly at: number; readonly endsRow: boolean } | 'stray' | 'open';

/**
 * Splits text at rows with broken quotes. Only the first line of such a row is rejected; reading continues at the next
 * line. Text after the last segment is a row that continues in the next piece; the last piece has no such text.
 */
export function* splitSegments(text: string, dialect: Dialect, isLastPiece: boolean): Generator<Segment> {
  const { delimiter, newline } = dialect;
  let from = 0;
  let row = 0;
  let at = 0;
  let opened: number[] = [];
  // Opening quotes that are known to be broken. Later lines reach the same quotes; without this set, each of them would
  // scan the whole text again.
  const broken = new Map<number, string>();
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
    const lastRow = lastRowIn(text, at, quote, newline);
    if (lastRow !== undefined) {
      row = lastRow;
      opened = [];
    }
    if (quote !== row && !text.startsWith(delimiter, quote - delimiter.length)) {
      at = quote + 1;
      continue;
    }
    opened.push(quote);
    const known = broken.get(quote);
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
    for (const one of opened) broken.set(one, problem);
    const to = lineEnd + newline.length;
    yield { from: row, to, problem };
    from = row = at = to;
    opened = [];
  }
  const to = lastRowIn(text, at, text.length, newline) ?? row;
  if (from < to) yield { from, to };
}

/** The start of the last row in a range without quotes. */
function lastRowIn(text: string, from: number, to: number, newline: string): number | undefined {
  const ended = text.slice(from, to).lastIndexOf(newline);
  return ended < 0 ? undefined : from + ended + newline.length;
}

/** Like Papa Parse: a doubled quote is a literal quote, and blanks may follow the closing quote. */
function endOfCell(text: string, quote: number, { delimiter, newline }: Dialect): CellEnd {
  for (let close = text.indexOf('"', quote + 1); close >= 0; close = text.indexOf('"', close + 2)) {
    if (text[close + 1] === '"') continue;
    let after = close + 1;
    const isAt = (mark: string) => text.startsWith(mark, after);
    while (after < text.length && !isAt(delimiter) && !isAt(newline) && isBlank(text, after)) after += 1;
    if (isAt(delimiter)) return { at: after + delimiter.length, endsRow: false };
    if (isAt(newline)) return { at: after + newline.length, endsRow: true };
    // The delimiter may continue in the next piece.
    return after + Math.max(delimiter.length, newline.length) > text.length ? 'open' : 'stray';
  }
  return 'open';
}

const isBlank = (text: string, at: number) => (text[at] ?? '').trim() === '';
