import { isNumber, parseDate, type ValueKind } from './values.ts';

/** What an attribute's cells look like. Cells that have a type already keep it. */
export function guessAttributeKind(cells: readonly unknown[]): ValueKind {
  const texts = filled(cells);
  if (texts.length === 0) return 'text';
  if (!texts.every((cell) => typeof cell === 'string')) return 'as is';
  if (texts.every((text) => isNumber(text) && keepsDigits(text))) return 'number';
  if (texts.every((text) => /^(?:true|false)$/i.test(text))) return 'boolean';
  return looksLikeLists(texts) ? 'list' : 'text';
}

/** A whole number that a double cannot hold is a code: as numbers, two of them could become one. */
const keepsDigits = (text: string) => !/^[-+]?\d{16,}$/.test(text) || Number.isSafeInteger(Number(text));

/** All of them fit, and one at least is a list of several: "Crime | Punishment", with its spaces, is a title. */
function looksLikeLists(texts: readonly string[]): boolean {
  return (
    texts.some((text) => text.includes('|')) &&
    texts.every((text) => text.split('|').every((part) => part !== '' && part === part.trim()))
  );
}

/**
 * By size: in seconds these are the years to 5138, in milliseconds 1973 to 5138, and so on; nobody's events are in
 * more than one of them. Undefined when they are no times at all.
 */
export function guessTimeKind(cells: readonly unknown[]): ValueKind | undefined {
  const known = filled(cells);
  if (known.length === 0) return undefined;
  if (known.every((cell) => cell instanceof Date)) return 'ms';
  if (known.every((cell) => typeof cell === 'string' && parseDate(cell) !== undefined)) return 'iso';
  const numbers = known.map((cell) => (typeof cell === 'string' && isNumber(cell) ? Number(cell) : cell));
  if (!numbers.every((number) => typeof number === 'number')) return undefined;
  const largest = numbers.reduce((most, number) => Math.max(most, number), 0);
  if (largest < 1e11) return 's';
  if (largest < 1e14) return 'ms';
  return largest < 1e17 ? 'us' : 'ns';
}

function filled(cells: readonly unknown[]): unknown[] {
  return cells.filter((cell) => cell !== '' && cell !== null && cell !== undefined);
}
