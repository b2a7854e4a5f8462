import { isUtf8 } from 'node:buffer';
import { unsliced } from '../../kernel/lib/slices.ts';
import type { ThreadTask } from '../../kernel/lib/thread-pool.ts';
import { ApiError } from '../api-error.ts';
import { notUtf8 } from './body-rules.ts';
import type { ParseInput, ParseResult } from './body-threads.ts';
import { parseLargeBody } from './parse-list-body.ts';
import { type LargeBodyRecord, packRecords } from './records.ts';

const parse: ThreadTask<ParseInput, ParseResult> = async ({ bytes, list }) => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (!isUtf8(body)) throw notUtf8();
    const request = (await parseLargeBody(body, list, unsliced)) as Record<string, unknown> | null;
    const records: unknown = request?.[list.name];
    if (!request || !Array.isArray(records)) return { result: { request, packed: undefined }, transfer: [] };
    const packed = packRecords(records as LargeBodyRecord[], bytes);
    request[list.name] = undefined;
    return { result: { request, packed }, transfer: [bytes.buffer] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, errors } = error;
    return { result: { refusal: { code, message, errors } }, transfer: [] };
  }
};
export default parse;
