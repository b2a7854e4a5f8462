import { limits } from '@tastegraph/contract';
import { Fault } from './fault.ts';

export interface PageRequest {
  readonly page_size?: number;
  readonly page_token?: string;
}

/** Larger than any key: the first page starts before nothing. */
const firstPage = 2_147_483_647;

/**
 * Lists run newest first by a key that only grows; a page token is the last key of the page before. It says
 * where to go on, not what may be seen, so it needs no signature.
 */
export async function listPage<Row extends object, Item>(
  request: PageRequest,
  keyOf: (row: Row) => number,
  present: (row: Row) => Item,
  list: (beforeKey: number, limit: number) => Promise<Row[]>,
): Promise<{ items: Item[]; next_page_token: string | null }> {
  const size = request.page_size ?? limits.pageSizeDefault;
  const rows = await list(parseToken(request.page_token), size + 1);
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    items: page.map(present),
    next_page_token: rows.length > size && last ? writeToken(keyOf(last)) : null,
  };
}

function writeToken(key: number): string {
  return Buffer.from(String(key)).toString('base64url');
}

function parseToken(token: string | undefined): number {
  if (token === undefined) return firstPage;
  const key = Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isInteger(key) || key < 0 || key > firstPage || writeToken(key) !== token) {
    const message = 'must be the next_page_token of an earlier answer';
    throw new Fault('INVALID_REQUEST', `page_token ${message}.`, {
      errors: [{ path: 'page_token', message }],
    });
  }
  return key;
}
