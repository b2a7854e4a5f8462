import { randomBytes } from 'node:crypto';

/**
 * JSON.parse without a bug of V8: in Node 24 and 26 (nodejs/node#63785, open) a key written with an escape may become
 * another key that the process parsed before. After `{"a":1,"\\":1}`, the text `{"a":1,"\n":1}` has the key `\`, so one
 * caller could change the meaning of another caller's request.
 *
 * Therefore V8 never sees a key with an escape. Where JSON allows it, the key is rewritten without the escape; other keys get
 * an unguessable placeholder, which is replaced after parsing. Text without a backslash is parsed directly.
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const names = new Map<string, string>();
  let value: unknown;
  try {
    value = JSON.parse(withPlainKeys(text, names));
  } catch {
    // Throws the error with the position in the original text.
    return JSON.parse(text);
  }
  if (names.size > 0) restoreKeys(value, names);
  return value;
}

const colon = 0x3a;
/** Short, because it is hashed with each name. */
const secret = randomBytes(9).toString('base64url');

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

/** Whether the string that ends before `at` is a key, which a colon follows. */
function isKey(text: string, at: number): boolean {
  let next = at;
  while (' \t\r\n'.includes(text.charAt(next)) && next < text.length) next++;
  return text.charCodeAt(next) === colon;
}

function plainKey(json: string, names: Map<string, string>): string {
  const key = JSON.parse(json) as string;
  // JSON requires an escape only for these characters.
  if (!/["\\\u0000-\u001f]/.test(key)) return `"${key}"`;
  const name = `${secret} ${names.size}`;
  names.set(name, key);
  return `"${name}"`;
}

/** Not recursive, because the nesting has not been checked yet. */
function restoreKeys(value: unknown, names: ReadonlyMap<string, string>): void {
  const stack = [value];
  while (stack.length > 0) {
    const each = stack.pop();
    if (typeof each !== 'object' || each === null) continue;
    const fields = each as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      if (typeof fields[name] === 'object') stack.push(fields[name]);
      const key = names.get(name);
      if (key === undefined) continue;
      fields[key] = fields[name];
      Reflect.deleteProperty(fields, name);
    }
  }
}

/** Written at once: small enough not to delay other work, large enough that 10,000 small parts are few chunks. */
const chunkLength = 64 * 1024;

/** A JSON value that is already text, in parts. It is sent as it is, without parsing it. */
export class JsonText {
  readonly #parts: readonly string[];

  constructor(...parts: readonly string[]) {
    this.#parts = parts;
  }

  /** The text in chunks. The chunk after a large part waits until that part is sent, so that no step takes long. */
  *chunks(): Generator<string, void> {
    let chunk = '';
    for (const part of this.#parts) {
      chunk += part;
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
}
