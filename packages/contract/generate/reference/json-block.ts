const lineWidth = 110;

export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${format(value, '')}\n\`\`\``;
}

/** Formats JSON, keeping what fits on one line together, so that the page is not mostly brackets. */
function format(value: unknown, indent: string): string {
  const lines = JSON.stringify(value, null, 1).split('\n');
  const oneLine = lines.map((line) => line.trim()).join(' ');
  if (indent.length + oneLine.length <= lineWidth || typeof value !== 'object' || value === null)
    return oneLine;
  const inner = `${indent}  `;
  const elements = Array.isArray(value)
    ? value.map((element) => format(element, inner))
    : Object.entries(value).map(([key, element]) => `"${key}": ${format(element, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open ?? ''}\n${elements.map((element) => inner + element).join(',\n')}\n${indent}${close ?? ''}`;
}
