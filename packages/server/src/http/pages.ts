import { limits } from '@tastegraph/contract';
import type { PageBounds, PageRow, PageSize } from '../kernel/postgres/sql-fragments.ts';
import { ApiError } from './api-error.ts';
import type { Context } from './context.ts';

export interface PageRequest {
  readonly page_size?: number;
  readonly page_token?: string;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next_page_token: string | null;
  readonly message: string | null;
}

interface List<Key, Row, Item> {
  /** Unique among the lists of an account. */
  readonly name: string;
  /** Before the first row. */
  readonly start: Key;
  /** As JSON by default. */
  readonly tokenKeys?: TokenKeys<Key>;
  readonly keyOf: (row: Row) => Key;
  readonly present: (row: Row) => Item;
  /** The rows that follow a key. */
  readonly rows: (after: Key, size: PageSize) => Promise<(Row & PageRow)[]>;
}

/** How a list writes a key into a page token, and reads it from one. */
interface TokenKeys<Key> {
  readonly encode: (key: Key) => Buffer;
  readonly decode: (bytes: Buffer) => Key;
}

const jsonKeys = {
  encode: (key: unknown) => Buffer.from(JSON.stringify(key)),
  decode: (bytes: Buffer) => JSON.parse(bytes.toString()) as never,
};

/** A batch takes a few milliseconds of the main thread. */
const batchRows = 500;

/** One page in any order: up to `page_size` entries or `limits.listBytes`. A token is the encrypted last key of the page before. */
export async function listKeyedPage<Key, Row, Item>(
  { accountId, pageTokens }: Pick<Context, 'accountId' | 'pageTokens'>,
  { page_size, page_token }: PageRequest,
  { name, start, tokenKeys = jsonKeys, keyOf, present, rows }: List<Key, Row, Item>,
): Promise<Page<Item>> {
  const scope = `${accountId} ${name}`;
  const size = page_size ?? limits.listEntriesMax;
  const items: Item[] = [];
  const opened = page_token === undefined ? undefined : pageTokens.open(scope, page_token);
  if (page_token !== undefined && !opened) throw invalidTokenError();
  let key = opened ? tokenKeys.decode(opened) : start;
  let bytes = 0;
  const isFull = () => items.length === size || bytes >= limits.listBytes;
  while (!isFull()) {
    const limit = Math.min(size - items.length, batchRows);
    const batch = await rows(key, { limit, bytes: limits.listBytes - bytes });
    items.push(...batch.map(present));
    const last = batch.at(-1);
    if (last) {
      key = keyOf(last);
      bytes += last.page_bytes;
    }
    if (batch.length < limit && bytes < limits.listBytes) break;
  }
  const hasMore = isFull() && (await rows(key, { limit: 1, bytes: 1 })).length > 0;
  if (!hasMore) return { items, next_page_token: null, message: null };
  return {
    items,
    next_page_token: pageTokens.seal(scope, tokenKeys.encode(key)),
    message: page_size !== undefined && items.length === size ? null : truncationMessage(items.length, bytes),
  };
}

interface NewestFirstList<Row, Item> extends Pick<List<number, Row, Item>, 'name' | 'keyOf' | 'present'> {
  readonly rows: (bounds: PageBounds) => Promise<(Row & PageRow)[]>;
}

const rowKeys: TokenKeys<number> = {
  encode: (key) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(key);
    return bytes;
  },
  decode: (bytes) => bytes.readUInt32BE(),
};
/** Larger than any row key. */
const firstPage = 2_147_483_647;

/** One page of a list that is sorted newest first, by a row key that only grows. */
export async function listPage<Row, Item>(
  ctx: Pick<Context, 'accountId' | 'pageTokens'>,
  request: PageRequest,
  { rows, ...list }: NewestFirstList<Row, Item>,
): Promise<Page<Item>> {
  return listKeyedPage(ctx, request, {
    ...list,
    start: firstPage,
    tokenKeys: rowKeys,
    rows: (beforeKey, size) => rows({ beforeKey, ...size }),
  });
}

function truncationMessage(entries: number, bytes: number): string {
  const why =
    bytes >= limits.listBytes
      ? 'the response reached the limit of 4 MiB'
      : `a list returns at most ${limits.listEntriesMax.toLocaleString('en')} entries per call`;
  return `This page ends after ${entries.toLocaleString('en')} entries because ${why}. To get the next page, pass next_page_token as page_token.`;
}

function invalidTokenError(): ApiError {
  const message = 'must be the next_page_token of an earlier response of this list';
  return new ApiError('INVALID_REQUEST', `page_token ${message}. Leave it out to get the first page.`, {
    errors: [{ path: 'page_token', message }],
  });
}
