import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { eraseUser, getErasure } from './erase-user.ts';

type Erasure = Response<'getErasure'>;
type ErasureRow = Awaited<ReturnType<typeof getErasure>>;

/** Data that an erasure cannot delete. */
const remains: Erasure['remains'] = [
  {
    what: 'Deleted rows in the files of PostgreSQL, which no query returns',
    until: 'the next vacuum of the table, usually within a day',
  },
  {
    what: 'Backups of the database and of the object store',
    until: "the operator's retention of backups ends",
  },
  {
    what: 'Log entries of unexpected errors, which may quote messages from the database. Requests are logged without bodies and user IDs',
    until: "the operator's retention of logs ends",
  },
  {
    what: 'Answers of recommendation calls that a serving process could not write to the decision log yet, because the object store was unavailable',
    until: 'they expire with the decision log (`DECISION_LOG_DAYS`)',
  },
  {
    what: 'Model files, which contain sums over the events of all users, but no user IDs',
    until: 'the model is deleted',
  },
];

const toErasure = (row: ErasureRow): Erasure => ({
  erasure_id: row.erasure_id,
  user_id: row.user_id,
  status: row.stage === 'DONE' ? 'DONE' : 'RUNNING',
  created_ts: row.created_ts,
  records_deleted_ts: row.records_deleted_ts,
  finished_ts: row.finished_ts,
  removed: Object.entries(row.removed).map(([entry, count]) => {
    const [kind = '', where = ''] = entry.split(' ');
    return { where, kind: kind as Erasure['removed'][number]['kind'], count };
  }),
  remains,
});

const handlers = {
  eraseUser: async (call, { user_id }) => toErasure(await eraseUser(call, user_id)),
  getErasure: async (call, { erasure_id }) => toErasure(await getErasure(call, erasure_id)),
} as const satisfies Handlers;

export const api = () => handlers;
