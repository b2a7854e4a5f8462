/** How an estimate is written: more digits would say more than is known. */
const estimateDigits = 3;

/** `1,234`; of an estimate `about 1,230`. */
export function inDigits(count: number, isEstimate = false): string {
  const shown = isEstimate ? Number(count.toPrecision(estimateDigits)) : count;
  return `${isEstimate ? 'about ' : ''}${shown.toLocaleString('en-US')}`;
}

/** `1,234 events`; `1 event`; of an estimate `about 1,230 events`. */
export function inWords(count: number, noun: string, isEstimate = false): string {
  return `${inDigits(count, isEstimate)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 %`; small shares with two digits that count: `0.034 %`. */
export function inPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** `"a", "b" and "c"`, or the first few of them and how many there are besides. */
export function inQuotes(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => JSON.stringify(name));
  const last = names.length > most ? `${names.length - most} more` : shown.pop();
  return shown.length > 0 ? `${shown.join(', ')} and ${last}` : (last ?? '');
}
