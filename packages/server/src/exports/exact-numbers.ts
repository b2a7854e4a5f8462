const longNumber = /\d{16}/;
const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Writes integers beyond the precision of a double in exponential notation: PostgreSQL writes 1e300 with 301 digits, and
 * our import takes such integers for IDs, whose digits must be kept as text.
 */
export function exactNumbers(json: string): string {
  if (!longNumber.test(json)) return json;
  return json.replaceAll(stringOrNumber, (token) => {
    if (!/^-?\d{16,}$/.test(token)) return token;
    const value = Number(token);
    return Number.isSafeInteger(value) ? token : value.toExponential();
  });
}
