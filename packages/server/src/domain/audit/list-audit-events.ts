import { type AuditEventRow, listAuditEventRows } from '../../storage/postgres/audit-events.ts';
import type { Context } from '../context.ts';
import { listKeyedPage, type PageRequest } from '../pages.ts';

/** Newest first. */
export async function listAuditEvents<Item>(
  ctx: Context,
  request: PageRequest,
  present: (row: AuditEventRow) => Item,
) {
  return listKeyedPage(ctx, request, {
    name: 'audit events',
    start: Number.MAX_SAFE_INTEGER,
    tokenKeys: {
      encode: (key: number) => Buffer.from(String(key)),
      decode: (bytes: Buffer) => Number(bytes.toString()),
    },
    keyOf: (row: AuditEventRow) => row.event_key,
    present,
    rows: (before, size) => listAuditEventRows(ctx.db, ctx.accountId, before, size),
  });
}
