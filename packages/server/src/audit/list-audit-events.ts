import type { Context } from '../http/context.ts';
import { listKeyedPage, type PageRequest } from '../http/pages.ts';
import { type AuditEventRow, type AuditFilter, listAuditEventRows } from './rows.ts';

interface AuditRequest extends PageRequest, AuditFilter {}

/** Newest first. A page token is valid for the same filter only. */
export async function listAuditEvents<Item>(
  ctx: Context,
  { actor_id, operation, ...page }: AuditRequest,
  present: (row: AuditEventRow) => Item,
) {
  return listKeyedPage(ctx, page, {
    name: `audit events ${actor_id ?? ''} ${operation ?? ''}`,
    start: Number.MAX_SAFE_INTEGER,
    tokenKeys: {
      encode: (key: number) => Buffer.from(String(key)),
      decode: (bytes: Buffer) => Number(bytes.toString()),
    },
    keyOf: (row: AuditEventRow) => row.event_key,
    present,
    rows: (before, size) => listAuditEventRows(ctx.db, ctx.accountId, { actor_id, operation }, before, size),
  });
}
