/** Prints what a command of the operator returned: one line of JSON, or lines and tables. */
export function printAnswer(answer: object, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(answer) : textOf(answer));
}

function textOf(answer: object): string {
  const entries = Object.entries(answer);
  const sections = entries.map(([name, value]) => {
    if (!Array.isArray(value) || !value.every((row) => typeof row === 'object'))
      return `${name}: ${JSON.stringify(value)}`;
    const table = value.length === 0 ? `no ${name}` : tableOf(value as object[]);
    return entries.length === 1 ? table : `\n${name}\n${table}`;
  });
  return sections.join('\n');
}

/** Aligned columns without borders, numbers to the right. */
function tableOf(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name]);
    const isNumeric = values.every((value) => value === null || typeof value === 'number');
    const texts = [name, ...values.map((value) => cellOf(name, value))];
    const width = Math.max(...texts.map((text) => text.length));
    return texts.map((text) => (isNumeric ? text.padStart(width) : text.padEnd(width)));
  });
  const lineOf = (line: number) => columns.map((column) => column[line]).join('  ');
  return [...Array(rows.length + 1).keys()].map((line) => lineOf(line).trimEnd()).join('\n');
}

function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number') {
    if (name.endsWith('_ts')) return new Date(value).toISOString().slice(0, 16).replace('T', ' ');
    return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
  }
  // Names of accounts and keys come from people: control characters must not reach the terminal.
  const plain = Array.isArray(value) ? value.join(' ') : value;
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain);
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
