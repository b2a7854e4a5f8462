import { randomUUID } from 'node:crypto';

/**
 * JSON.parse, also where V8's is wrong: in Node 24 and 26 (nodejs/node#63785, open) a key that is written with an
 * escape may come out as another one that the process has parsed before. After `{"a":1,"\\":1}` the text
 * `{"a":1,"\n":1}` has the key `\`: what one caller sends could change what another one's call means.
 *
 * So V8 gets no key with an escape. One that JSON can also write plainly is written plainly; the others get a name
 * that nobody can guess, and their own back after the parse. Text without a backslash goes straight to V8.
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const names = new Map<string, string>();
  let value: unknown;
  try {
    value = JSON.parse(withPlainKeys(text, names));
  } catch {
    // Says where in the text that was given it is not JSON.
    return JSON.parse(text);
  }
  if (names.size > 0) giveNamesBack(value, names);
  return value;
}

const colon = 0x3a;
const secret = randomUUID();

function withPlainKeys(text: string, names: Map<string, string>): string {
  const pieces: string[] = [];
  let copied = 0;
  let escape = text.indexOf('\\');
  for (let start = text.indexOf('"'); start !== -1 && escape !== -1; ) {
    let end = text.indexOf('"', start + 1);
    const escaped = escape < end;
    for (; escape !== -1 && escape < end; escape = text.indexOf('\\', escape + 2)) {
      if (escape === end - 1) end = text.indexOf('"', end + 1);
    }
    if (end === -1) break;
    if (escaped && isKey(text, end + 1)) {
      pieces.push(text.slice(copied, start), plainKey(text.slice(start, end + 1), names));
      copied = end + 1;
    }
    start = text.indexOf('"', end + 1);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/** Whether the string that ends before `at` is a key: a colon follows. */
function isKey(text: string, at: number): boolean {
  let next = at;
  while (' \t\r\n'.includes(text.charAt(next)) && next < text.length) next++;
  return text.charCodeAt(next) === colon;
}

function plainKey(json: string, names: Map<string, string>): string {
  const key = JSON.parse(json) as string;
  // Of the characters only these must be escaped in JSON.
  if (!/["\\\u0000-\u001f]/.test(key)) return `"${key}"`;
  const name = `${secret} ${Buffer.from(key, 'utf16le').toString('hex')}`;
  names.set(name, key);
  return `"${name}"`;
}

/** Not by recursion: nobody has said yet that it is not nested too deep. */
function giveNamesBack(value: unknown, names: ReadonlyMap<string, string>): void {
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each !== 'object' || each === null) continue;
    const fields = each as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      left.push(fields[name]);
      const key = names.get(name);
      if (key === undefined) continue;
      fields[key] = fields[name];
      Reflect.deleteProperty(fields, name);
    }
  }
}
