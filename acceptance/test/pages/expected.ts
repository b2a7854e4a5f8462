/** Matches anything. At the end of a text, matches any rest; as the last element of a list, any further elements. */
const anything = '…';

/** Describes the first difference between the output and what the page shows. Additional fields are not a difference. */
export function mismatch(printed: unknown, expected: unknown, path = ''): string | undefined {
  const at = path === '' ? 'the output' : path;
  if (expected === anything) return printed === undefined ? `${at} is missing` : undefined;
  if (typeof expected === 'string' && expected.endsWith(anything)) {
    const start = expected.slice(0, -anything.length);
    const fits = typeof printed === 'string' && printed.startsWith(start);
    return fits ? undefined : `${at} should start with ${start}`;
  }
  if (Array.isArray(expected)) return listMismatch(printed, expected, at, path);
  if (typeof expected === 'object' && expected !== null) {
    if (typeof printed !== 'object' || printed === null) return `${at} should be an object`;
    for (const [name, value] of Object.entries(expected)) {
      const found = mismatch(
        (printed as Record<string, unknown>)[name],
        value,
        path === '' ? name : `${path}.${name}`,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(printed, expected) ? undefined : `${at} should be ${JSON.stringify(expected)}`;
}

function listMismatch(
  printed: unknown,
  expected: readonly unknown[],
  at: string,
  path: string,
): string | undefined {
  if (!Array.isArray(printed)) return `${at} should be a list`;
  const isOpen = expected.at(-1) === anything;
  const shown = isOpen ? expected.slice(0, -1) : expected;
  if (isOpen ? printed.length < shown.length : printed.length !== shown.length)
    return `${at} should have ${shown.length} elements, not ${printed.length}`;
  for (const [index, value] of shown.entries()) {
    const found = mismatch(printed[index], value, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}
