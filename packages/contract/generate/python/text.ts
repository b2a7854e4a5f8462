const lineWidth = 100;
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Whether Python accepts the name of a field as that of a variable. */
export const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name);

/** `createUserDataset` as `create_user_dataset`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A docstring of paragraphs, each of which is wrapped. The second and later lines of `hanging` paragraphs are indented. */
export function docstring(
  indent: string,
  paragraphs: readonly string[],
  hanging: readonly string[] = [],
): string {
  const escape = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrap(escape(paragraph), lineWidth - indent.length),
  ]);
  if (hanging.length > 0) {
    lines.push('', 'Args:');
    for (const paragraph of hanging) {
      const [first = '', ...rest] = wrap(escape(paragraph), lineWidth - indent.length - 8);
      lines.push(`    ${first}`, ...rest.map((line) => `        ${line}`));
    }
  }
  const [first = '', ...rest] = lines;
  // A quote before the closing quotes would be part of them.
  const isShort = rest.length === 0 && first.length + indent.length + 6 <= lineWidth && !first.endsWith('"');
  if (isShort) return `${indent}"""${first}"""\n`;
  return [`"""${first}`, ...rest, '"""'].map((line) => `${line === '' ? '' : indent + line}\n`).join('');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
