/** Fits next to the labels in a terminal with 80 columns. Odd, so that 0 has a place in the middle. */
const width = 41;
const middle = (width - 1) / 2;

export interface Interval {
  readonly label: string;
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

/** One line per interval, on one scale with 0 in the middle: `──●──` and a bar at 0. */
export function intervalChart(intervals: readonly Interval[]): string {
  const largest = Math.max(...intervals.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  const labelWidth = Math.max(0, ...intervals.map(({ label }) => label.length));
  const columnOf = (value: number) =>
    largest === 0 ? middle : Math.round(middle + (value / largest) * middle);
  return intervals
    .map(({ label, low, value, high }) => {
      const cells = Array<string>(width).fill(' ');
      cells[middle] = '│';
      for (let column = columnOf(low); column <= columnOf(high); column++)
        cells[column] = column === middle ? '┼' : '─';
      cells[columnOf(value)] = '●';
      return `${label.padEnd(labelWidth)}  ${cells.join('')}`.trimEnd();
    })
    .join('\n');
}
