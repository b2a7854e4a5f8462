import { limits } from '@tastegraph/contract';
import { parseJson } from '../../kernel/lib/json.ts';
import type { Slice } from '../../kernel/lib/slices.ts';
import { envelopeTooLarge, invalidBody, type ListField, tooManyElements } from './body-rules.ts';
import { type Element, ElementScanner } from './element-scanner.ts';
import { backslash, closeArray, openArray, quote } from './json-bytes.ts';
import { CompactText, MemberScanner, type ScannedBody } from './member-scanner.ts';
import { type RefusalReason, RefusedRecord, UnparsedRecord } from './records.ts';

interface ListParseOptions {
  /** The maximum size of the body outside the list. */
  readonly envelopeBytes: number;
  readonly slice: Slice;
  /** Bytes scanned between two checks of the slice. Scanning them takes 0.1 ms. */
  readonly stepBytes?: number;
}

/** The longest escape of one byte, such as `\u0061` for `a`. */
const escapeFactor = 6;
/** Attributes are one level below their record. */
const maxDepth = 1 + limits.attributeDepth;

/** As `parseListBody`, within the limits of a request, and with ApiErrors alone. */
export async function parseLargeBody(body: Buffer, list: ListField, slice: Slice): Promise<unknown> {
  try {
    return await parseListBody(body, list, { envelopeBytes: limits.smallBodyBytes, slice });
  } catch (error) {
    throw error instanceof SyntaxError ? invalidBody('The body is not valid JSON.') : error;
  }
}

/**
 * Parses a body that is small except for one list, whose elements are parsed one by one in slices of the main thread. It
 * accepts the same texts as JSON.parse and returns the same value, except that a record becomes an UnparsedRecord, or a
 * RefusedRecord if it would take too long to parse. Throws an ApiError, or a SyntaxError for text outside the list.
 */
export async function parseListBody(
  bytes: Buffer,
  list: ListField,
  options: ListParseOptions,
): Promise<unknown> {
  const { envelopeBytes, slice, stepBytes = 64 * 1024 } = options;
  const body = { bytes, stepBytes, slice };
  const text = new CompactText(envelopeBytes, () => envelopeTooLarge(list));
  const envelope = new MemberScanner(bytes, { stepBytes, name: list.name, text });
  let elements: unknown[] = [];
  for (let step = envelope.step(); step !== 'end'; step = envelope.step()) {
    if (step === 'value' && bytes[envelope.position] === openArray) {
      const scanner = new ElementScanner(bytes, envelope.position + 1, stepBytes);
      // If the name occurs twice, the last one counts, as in JSON.parse.
      elements = await parseElements(body, scanner, list);
      text.add(openArray);
      text.add(closeArray);
      envelope.skipTo(scanner.position);
    }
    if (slice.isOver()) await slice.next();
  }
  const request = parseJson(text.toString()) as Record<string, unknown> | null;
  if (Array.isArray(request?.[list.name])) request[list.name] = elements;
  return request;
}

async function parseElements(
  body: ScannedBody,
  scanner: ElementScanner,
  list: ListField,
): Promise<unknown[]> {
  const { bytes, slice } = body;
  const elements: unknown[] = [];
  for (;;) {
    if (slice.isOver()) await slice.next();
    const step = scanner.step();
    if (step === 'paused') continue;
    if (step === 'closed') return elements;
    if (step === 'incomplete') throw new SyntaxError('the list is not closed');
    if (elements.length === list.maxElements) throw tooManyElements(list);
    const reason = refusalReason(step, list);
    if (reason !== undefined) {
      const id = list.idField === undefined ? {} : await findId(body, step, list.idField);
      elements.push(new RefusedRecord(reason, id));
      continue;
    }
    const { start, end } = step;
    const isBlank = end - start > escapeFactor * list.elementBytes;
    const json = isBlank ? await compactElement(body, step) : bytes.subarray(start, end);
    try {
      elements.push(elementOf(json, list));
    } catch {
      throw invalidBody(`The body is not valid JSON (in element ${elements.length} of ${list.name}).`);
    }
  }
}

function refusalReason(
  { start, end, blanks, parts, names, depth }: Element,
  { elementBytes }: ListField,
): RefusalReason | undefined {
  // Each part takes at least one byte.
  if (end - start - blanks > escapeFactor * elementBytes || parts > elementBytes) return 'too large';
  if (depth > maxDepth) return 'too deep';
  return names > limits.recordNames ? 'too many names' : undefined;
}

/** Parses a record to prove that it is valid JSON, but keeps only its ID and text. */
function elementOf(json: Buffer, { idField }: ListField): unknown {
  const element = parseJson(json.toString());
  if (idField === undefined) return element;
  const id = (element as Record<string, unknown> | null)?.[idField];
  const isId = typeof id === 'string' || typeof id === 'number';
  return new UnparsedRecord(json, isId ? { [idField]: id } : {});
}

/** Compacts an element that is mostly white space, in its place. */
async function compactElement(
  { bytes, stepBytes, slice }: ScannedBody,
  { start, end, blanks }: Element,
): Promise<Buffer> {
  // Each byte that is not blank may be followed by one space.
  const text = new CompactText(2 * (end - start - blanks) + 2);
  const scanner = new MemberScanner(bytes, { stepBytes, start, end, text });
  while (scanner.step() !== 'end') if (slice.isOver()) await slice.next();
  const compact = text.toBuffer();
  compact.copy(bytes, start);
  return bytes.subarray(start, start + compact.length);
}

/** The longest ID: 600 characters, each written as two escapes of six bytes, with quotes. */
const idBytes = 600 * 12 + 2;

/** Finds the ID of a record that is too large to parse, if it is a string or a number. */
async function findId(
  { bytes, stepBytes, slice }: ScannedBody,
  { start, end }: Element,
  idField: string,
): Promise<Record<string, unknown>> {
  const scanner = new MemberScanner(bytes, { stepBytes, start, end, name: idField });
  let id: unknown;
  for (let step = scanner.step(); step !== 'end'; step = scanner.step()) {
    if (step === 'value')
      id = readId(bytes.subarray(scanner.position, Math.min(end, scanner.position + idBytes)));
    if (slice.isOver()) await slice.next();
  }
  return id === undefined ? {} : { [idField]: id };
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
