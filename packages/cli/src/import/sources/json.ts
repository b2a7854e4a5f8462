/** A number has to be this long before a double can lose its digits. */
const longNumber = /\d{16}/;

/** JSON whose whole numbers keep all their digits: those that a double cannot hold come as text, as from Parquet. */
export function parseJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? source : value;
}
