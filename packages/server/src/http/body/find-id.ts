import { parseJson } from '../../kernel/lib/json.ts';
import type { Element } from './element-scanner.ts';
import { backslash, quote } from './json-bytes.ts';
import { MemberScanner, type ScannedBody } from './member-scanner.ts';

/** The longest ID: 600 characters, each written as two escapes of six bytes, with quotes. */
const idBytes = 600 * 12 + 2;

/** Finds the ID of a record that is too large to parse, if it is a string or a number. */
export async function findId(
  { bytes, stepBytes, slice }: ScannedBody,
  { start, end }: Element,
  idField: string,
): Promise<unknown> {
  const scanner = new MemberScanner(bytes, { stepBytes, start, end, name: idField });
  let id: unknown;
  for (let step = scanner.step(); step !== 'end'; step = scanner.step()) {
    if (step === 'value')
      id = readId(bytes.subarray(scanner.position, Math.min(end, scanner.position + idBytes)));
    if (slice.isOver()) await slice.next();
  }
  return id;
}

function readId(bytes: Buffer): unknown {
  const token =
    bytes[0] === quote ? stringAt(bytes) : /^-?[\d.eE+-]+/.exec(bytes.toString('latin1', 0, 400))?.[0];
  try {
    return token === undefined ? undefined : parseJson(token);
  } catch {
    return undefined;
  }
}

function stringAt(bytes: Buffer): string | undefined {
  for (let at = 1; at < bytes.length; at++) {
    if (bytes[at] === quote) return bytes.toString('utf8', 0, at + 1);
    if (bytes[at] === backslash) at++;
  }
  return undefined;
}
