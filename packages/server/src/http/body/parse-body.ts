import { isUtf8 } from 'node:buffer';
import { limits } from '@tastegraph/contract';
import { parseJson } from '../../kernel/lib/json.ts';
import { type Slice, slices } from '../../kernel/lib/slices.ts';
import { ApiError } from '../api-error.ts';
import { type BodyRules, invalidBody, notUtf8 } from './body-rules.ts';
import { parseInThread } from './body-threads.ts';
import { backslash, byteKinds, isClosing, isColon, isQuote, isWhite, quote } from './json-bytes.ts';
import { parseLargeBody } from './parse-list-body.ts';

/** A body up to this size is parsed as soon as it arrives, which takes 0.5 ms. */
const instantBytes = 16 * 1024;
/** An upsert up to this size without escapes is parsed at once: twice as fast as by elements. The worst case takes 10 ms. */
const wholeBytes = 256 * 1024;
/** Larger bodies with records are parsed in a thread, which takes the main thread 0.4 ms: for smaller ones, that is no gain. */
export const threadBytes = 64 * 1024;

/**
 * Parses a JSON body in UTF-8 without blocking the main thread for more than a few milliseconds. A large body is either
 * mostly one list, which is parsed element by element, or limited in its number of values. Large lists of records are
 * parsed in a thread; the memory of `body` is then moved to it.
 */
export async function parseBody(body: Buffer, { list }: BodyRules, account: string): Promise<unknown> {
  if (body.length === 0) throw invalidBody('The body is empty. Send a JSON object.');
  const slice = slices.start(account);
  // Waits for a slice: many bodies may be complete in the same iteration of the event loop.
  if (body.length > instantBytes) await slice.next();
  const isWhole = list === undefined || (body.length <= wholeBytes && !body.includes(backslash));
  if (!isWhole && list.idField !== undefined && body.length > threadBytes)
    return parseInThread(body, list, account);
  if (!(await isUtf8InSlices(body, slice))) throw notUtf8();
  if (list === undefined && hasMoreParts(body, limits.bodyParts))
    throw new ApiError(
      'BODY_TOO_LARGE',
      `The body has more than ${limits.bodyParts} brackets, commas and colons. Send less data per call.`,
    );
  return isWhole ? parseWhole(body) : parseLargeBody(body, list, slice);
}

function parseWhole(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch (error) {
    // The parser's message quotes the body, which may contain secrets, so only the position is passed on.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw invalidBody(`The body is not valid JSON${position === undefined ? '' : ` (at byte ${position})`}.`);
  }
}

const utf8Step = 1024 * 1024;

async function isUtf8InSlices(body: Buffer, slice: Slice): Promise<boolean> {
  for (let start = 0; start < body.length; ) {
    if (slice.isOver()) await slice.next();
    let end = Math.min(start + utf8Step, body.length);
    // Do not split a character: its continuation bytes, at most three, begin with the bits 10.
    for (let back = 0; back < 3 && end < body.length && ((body[end] ?? 0) & 0xc0) === 0x80; back++) end--;
    if (!isUtf8(body.subarray(start, end))) return false;
    start = end;
  }
  return true;
}

/** A name with an escape takes 3 µs to parse; see kernel/lib/json.ts. */
const escapedNameParts = 20;

/**
 * Whether JSON has more than `max` opening brackets, commas and colons. Each stands for a value, which takes up to 100 bytes
 * and 0.3 µs when parsed. A name with an escape counts as twenty. Counting takes 2 ms per MB.
 */
export function hasMoreParts(json: Buffer, max: number): boolean {
  // The shortest name with an escape takes 7 bytes with its colon, value and comma.
  if (json.length * 4 <= max) return false;
  const kinds = byteKinds;
  let parts = 0;
  let isEscaped = false;
  for (let at = 0; at < json.length; ) {
    const kind = kinds[json[at++] as number] as number;
    if (kind === 0 || kind === isClosing || kind === isWhite) continue;
    if (kind === isQuote) {
      isEscaped = false;
      for (let byte = json[at++]; byte !== quote && at < json.length; byte = json[at++]) {
        if (byte !== backslash) continue;
        isEscaped = true;
        at++;
      }
    } else {
      parts += kind === isColon && isEscaped ? escapedNameParts : 1;
      if (parts > max) return true;
    }
  }
  return false;
}
