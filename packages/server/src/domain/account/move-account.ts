import type pg from 'pg';
import type { ObjectStore } from '../../storage/objects/store.ts';
import { surveyAccount } from '../../storage/postgres/account-deletions.ts';
import {
  type AccountMove,
  cancelAccountMove,
  findAccountMove,
  finishAccountMove,
  startAccountMove,
} from '../../storage/postgres/account-moves.ts';
import { listApiKeys } from '../../storage/postgres/api-keys.ts';
import { copyAccount, listAccountObjects } from '../../storage/postgres/copy-account.ts';
import { type CopiedRecords, copyRecords } from '../../storage/postgres/copy-records.ts';
import { beginCopy, beginReading, inSession, openCopySession } from '../../storage/postgres/copy-session.ts';
import type { Database, Queryable } from '../../storage/postgres/pool.ts';
import { ApiError } from '../api-error.ts';
import { type CopiedObject, listObjects, ObjectCopy } from './copy-objects.ts';
import { accountNotFound } from './create-account.ts';
import { drainChanges } from './drain-changes.ts';

/** What changes during a round is copied by the next one. After a round of at most this time, that is so little that changes can be refused. */
const shortRoundMs = 1000;
/** Each takes a small part of the time of the one before, unless most of it is reading what has not changed. */
const maxRounds = 4;
/** Fails after as long as other statements may take: without a network, TCP would wait for a quarter of an hour. */
const rollback = { text: 'ROLLBACK', query_timeout: 35_000 };

export interface MoveCell {
  readonly cell: string;
  readonly databaseUrl: string;
  readonly db: Database;
  readonly store: ObjectStore;
}

export interface MoveOptions {
  readonly from: MoveCell;
  readonly to: MoveCell;
  readonly accountId: string;
  /** Files to import, which no row names. */
  readonly importPrefix: string;
  /** `show` only lists what would be moved; `finish` is for after calls go to the other cell; `cancel` undoes an interrupted copy. */
  readonly step: 'show' | 'copy' | 'finish' | 'cancel';
  readonly print: (text: string) => void;
}

export interface MovedAccount {
  readonly account_id: string;
  /** COPIED: complete in the other cell. Here, calls that only read are still answered, until the move is finished. */
  readonly status: 'COPIED' | 'MOVED' | 'CANCELED';
  readonly from_cell: string;
  readonly to_cell: string;
  readonly records?: number;
  readonly object_bytes?: number;
  /** How long changes were refused. */
  readonly refused_seconds?: number;
  /** People who have no role there, because somebody else has their email. */
  readonly unmoved_people?: readonly string[];
  readonly moved_keys?: readonly { readonly api_key: string; readonly cell: string }[];
}

/**
 * Copies an account to another cell in one transaction there. Records and objects are copied while the account changes. Then changes are
 * refused (503), and what has changed meanwhile is copied with the rest, so nothing that was acknowledged is missing in the copy. Calls
 * that only read are answered here until the operator has sent them to the other cell and finishes the move. A command that was
 * interrupted can be repeated: it starts again, or finds the copy complete.
 */
export async function moveAccount(options: MoveOptions): Promise<MovedAccount> {
  const { from, to, accountId, step } = options;
  await requireMovable(options);
  await using stack = new AsyncDisposableStack();
  const target = await openCopySession(to.databaseUrl);
  stack.defer(() => target.end());
  if (!(await beginCopy(target, accountId)))
    throw refused('Another command moves this account now. Wait until it ends.');
  const move = await findAccountMove(from.db, accountId);
  requireKept(move, accountId);
  const there = await findAccountMove(to.db, accountId);
  const isCopied = move.moving_to === to.cell && there?.moving_to === null;
  if (there && !isCopied)
    throw refused(
      `Cell ${to.cell} has an account ${accountId} already${there.moving_to === null ? '' : `, which was moved to cell ${there.moving_to}`}. Delete it there first with "admin delete-account".`,
    );
  if (move.moved_ts !== null && !isCopied)
    throw refused(`Account ${accountId} was moved to cell ${to.cell}, which no longer has it.`);
  const result = { account_id: accountId, from_cell: from.cell, to_cell: to.cell };
  if (step === 'cancel') {
    if (isCopied)
      throw refused(
        `Account ${accountId} is complete in cell ${to.cell}. Send its calls there, and pass --finish.`,
      );
    // The lock of the target's session guarantees that no other command completes the copy meanwhile.
    await cancelAccountMove(from.db, accountId, to.cell);
    return { ...result, status: 'CANCELED' };
  }
  if (step === 'finish') {
    if (!isCopied)
      throw refused(`Account ${accountId} is not in cell ${to.cell} yet. Pass --yes to copy it first.`);
    await finishAccountMove(from.db, accountId, to.cell);
    return { ...result, status: 'MOVED' };
  }
  const copied = isCopied ? undefined : await copy(options, move, target);
  const keys = await listApiKeys(from.db, accountId);
  const moved_keys = keys
    .filter(({ revoked_ts }) => revoked_ts === null)
    .map(({ api_key }) => ({ api_key, cell: to.cell }));
  return { ...result, status: move.moved_ts === null ? 'COPIED' : 'MOVED', ...copied, moved_keys };
}

async function requireMovable({ from, to, accountId, step }: MoveOptions): Promise<void> {
  if (from.cell === to.cell)
    throw refused(`Both cells are named ${from.cell}. Pass the settings of another cell with --to.`);
  const contents = await surveyAccount(from.db, accountId);
  const move = await findAccountMove(from.db, accountId);
  requireKept(move, accountId);
  if (!contents) throw accountNotFound(accountId);
  if (move.moving_to !== null && move.moving_to !== to.cell)
    throw refused(
      `Account ${accountId} ${move.moved_ts === null ? 'is being moved' : 'was moved'} to cell ${move.moving_to}. Pass the settings of that cell with --to.`,
    );
  if (step !== 'show') return;
  const list = Object.entries(contents).map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`);
  throw refused(
    `Account ${accountId} has ${list.join(', ')}. Pass --yes to move it from cell ${from.cell} to cell ${to.cell}. Changes are refused from the end of the copy until its calls go there.`,
  );
}

async function copy(
  options: MoveOptions,
  move: AccountMove,
  target: pg.Client,
): Promise<Pick<MovedAccount, 'records' | 'object_bytes' | 'refused_seconds' | 'unmoved_people'>> {
  const { from, to, accountId, importPrefix, print } = options;
  // A command that was interrupted left changes refused. The target's lock guarantees that it no longer completes the copy.
  if (move.moving_to !== null) await cancelAccountMove(from.db, accountId, to.cell);
  requireIdle(move, accountId);
  await using stack = new AsyncDisposableStack();
  const source = await openCopySession(from.databaseUrl);
  stack.defer(() => source.end());
  const listAll = async (db: Queryable) => [
    ...(await listAccountObjects(db, accountId)),
    ...(await listObjects(from.store, importPrefix)),
  ];
  const objects = new ObjectCopy(from.store, to);
  let isRefusing = false;
  try {
    const earlier = await copyWhileChanging(options, { source, target, objects, listAll });
    // Fails here rather than after changes were refused.
    requireIdle(await findAccountMove(from.db, accountId), accountId);
    const refusedAt = performance.now();
    isRefusing = true;
    if (!(await startAccountMove(from.db, accountId, to.cell)))
      throw refused(
        `Another command moves account ${accountId} to another cell now. Wait until it ends, and repeat the command.`,
      );
    await drainChanges(from.db, accountId);
    print(`Changes of account ${accountId} are refused until its calls go to cell ${to.cell}.`);
    await beginReading(source);
    // What was submitted just before changes were refused.
    requireIdle(await findAccountMove(inSession(source), accountId), accountId);
    const { records } = await copyRecords(source, target, accountId, print, earlier);
    const { tables, unmovedPeople } = await copyAccount(source, target, accountId);
    print(`Copied ${Object.keys(tables).length} tables.`);
    const all = await listAll(inSession(source));
    await objects.copy(all, { mayBeGone: false });
    await objects.release(inSession(target), all, importPrefix);
    print(`Copied ${all.length} objects.`);
    if ((await findAccountMove(from.db, accountId))?.moving_to !== to.cell)
      throw refused(`Changes of account ${accountId} were accepted again meanwhile. Repeat the command.`);
    // COMMIT of a failed transaction returns ROLLBACK and no error.
    const { command } = await target.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the copy was rolled back');
    const refused_seconds = Math.round((performance.now() - refusedAt) / 100) / 10;
    return { records, object_bytes: objects.bytes, refused_seconds, unmoved_people: unmovedPeople };
  } catch (error) {
    await giveUp(options, target, objects, isRefusing);
    throw error;
  }
}

interface Copying {
  readonly source: pg.Client;
  readonly target: pg.Client;
  readonly objects: ObjectCopy;
  readonly listAll: (db: Queryable) => Promise<CopiedObject[]>;
}

/** Copies objects first, since they may take long, and the first round needs no open transaction for them. */
async function copyWhileChanging(
  { from, accountId, print }: MoveOptions,
  { source, target, objects, listAll }: Copying,
): Promise<CopiedRecords | undefined> {
  const onProgress = (text: string) => print(`${text} Changes are accepted meanwhile.`);
  let copied: CopiedRecords | undefined;
  let lastMs = Infinity;
  for (let round = 0; round < maxRounds; round++) {
    const startedAt = performance.now();
    await objects.copy(await listAll(from.db), { mayBeGone: true });
    await beginReading(source);
    copied = await copyRecords(source, target, accountId, onProgress, copied);
    const ms = performance.now() - startedAt;
    if (ms <= shortRoundMs || ms > lastMs / 2) break;
    lastMs = ms;
  }
  return copied;
}

/**
 * Accepts changes again, but only if the target's session, which has the lock, still exists. Otherwise the copy may be complete, because the
 * answer to COMMIT was lost, or another command may complete it.
 */
async function giveUp(
  { from, to, accountId, print }: MoveOptions,
  target: pg.Client,
  objects: ObjectCopy,
  isRefusing: boolean,
): Promise<void> {
  try {
    await target.query(rollback);
    await cancelAccountMove(from.db, accountId, to.cell);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (isRefusing)
      print(
        `Changes of account ${accountId} may still be refused (${reason}). Repeat the command, or pass --cancel.`,
      );
  }
  // Also in the session with the lock: another command may hold the same objects. Without it, workers remove them when the hold ends.
  await objects.abandon(inSession(target)).catch(() => undefined);
}

function requireKept(move: AccountMove | undefined, accountId: string): asserts move {
  if (!move) throw accountNotFound(accountId);
  if (move.is_deleted) throw refused(`Account ${accountId} is being deleted, so it cannot be moved.`);
}

/** Jobs and erasures change the account while they run. */
function requireIdle(move: AccountMove | undefined, accountId: string): void {
  requireKept(move, accountId);
  const { live_jobs, erasures } = move;
  if (live_jobs + erasures === 0) return;
  throw refused(
    `The account has ${live_jobs} jobs and ${erasures} erasures that have not ended. Wait for them or cancel the jobs, pause schedules that start them, and repeat the command.`,
  );
}

function refused(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', message);
}
