/** The number of code points, which CEL, JSON Schema and editors call characters. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let unit = 0; unit < text.length; count++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return count;
}
