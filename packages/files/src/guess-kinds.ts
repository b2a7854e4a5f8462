import { isNumber, parseDate, type ValueKind } from './values.ts';

/** Guesses the type of an attribute. Cells that are not text keep their type. */
export function guessAttributeKind(cells: readonly unknown[]): ValueKind {
  const texts = filled(cells);
  if (texts.length === 0) return 'text';
  if (!texts.every((cell) => typeof cell === 'string')) return 'as is';
  if (texts.every((text) => isNumber(text) && keepsDigits(text))) return 'number';
  if (texts.every((text) => /^(?:true|false)$/i.test(text))) return 'boolean';
  return looksLikeLists(texts) ? 'list' : 'text';
}

/** Integers beyond double precision stay text: as numbers, two different IDs could become equal. */
const keepsDigits = (text: string) => !/^[-+]?\d{16,}$/.test(text) || Number.isSafeInteger(Number(text));

/** At least one cell has several elements. Spaces around the bar, as in "Crime | Punishment", mean a title. */
function looksLikeLists(texts: readonly string[]): boolean {
  return (
    texts.some((text) => text.includes('|')) &&
    texts.every((text) => text.split('|').every((part) => part !== '' && part === part.trim()))
  );
}

/**
 * Guesses the unit by magnitude: seconds cover the years to 5138, milliseconds 1973 to 5138, and so on. Returns
 * undefined if most cells are not times. If only some are not, their rows will be rejected.
 */
export function guessTimeKind(cells: readonly unknown[]): ValueKind | undefined {
  const known = filled(cells);
  const areMost = (some: readonly unknown[]) => 2 * some.length > known.length;
  if (areMost(known.filter((cell) => cell instanceof Date))) return 'ms';
  if (areMost(known.filter(isDate))) return 'iso';
  const numbers = known.filter(isNumeric).map(Number);
  if (!areMost(numbers)) return undefined;
  const largest = numbers.reduce((most, number) => Math.max(most, number), 0);
  if (largest < 1e11) return 's';
  if (largest < 1e14) return 'ms';
  return largest < 1e17 ? 'us' : 'ns';
}

/** Whether a cell may be a time, in some unit. */
export const isTime = (cell: unknown) => cell instanceof Date || isDate(cell) || isNumeric(cell);

const isDate = (cell: unknown) => typeof cell === 'string' && parseDate(cell) !== undefined;
const isNumeric = (cell: unknown) => typeof cell === 'number' || (typeof cell === 'string' && isNumber(cell));

function filled(cells: readonly unknown[]): unknown[] {
  return cells.filter((cell) => cell !== '' && cell !== null && cell !== undefined);
}
