/** More significant digits would suggest more precision than an estimate has. */
const estimateDigits = 3;

/** `1,234`; for an estimate `about 1,230`. */
export function formatNumber(count: number, isEstimate = false): string {
  const shown = isEstimate ? Number(count.toPrecision(estimateDigits)) : count;
  return `${isEstimate ? 'about ' : ''}${shown.toLocaleString('en-US')}`;
}

/** `1,234 events`; `1 event`; for an estimate `about 1,230 events`. */
export function formatCount(count: number, noun: string, isEstimate = false): string {
  return `${formatNumber(count, isEstimate)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 %`; small shares with two significant digits: `0.034 %`. */
export function formatPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** `"a", "b" and "c"`, or the first few of them and `7 more`. */
export function quoteNames(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).map((name) => JSON.stringify(name));
  const last = names.length > max ? `${names.length - max} more` : shown.pop();
  return shown.length > 0 ? `${shown.join(', ')} and ${last}` : (last ?? '');
}
