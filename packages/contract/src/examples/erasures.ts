import type { erasureOperations } from '../operations/erasures.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const removedRecords = [
  { where: ids.users, kind: 'USERS' as const, count: 1 },
  { where: ids.events, kind: 'EVENTS' as const, count: 214 },
];
const remains = [
  {
    what: 'Deleted rows in the files of PostgreSQL, where no query finds them',
    until: 'the next vacuum of the table, usually within a day',
  },
  {
    what: 'Backups of the database and of the object store',
    until: "the operator's retention of backups ends",
  },
];

export const erasureExamples: Examples<keyof typeof erasureOperations> = {
  eraseUser: {
    request: { user_id: 'anna' },
    response: {
      erasure_id: ids.erasure,
      user_id: 'anna',
      status: 'RUNNING',
      created_ts: morning,
      records_deleted_ts: morning + 80,
      finished_ts: null,
      removed: removedRecords,
      remains,
    },
  },
  getErasure: {
    request: { erasure_id: ids.erasure },
    response: {
      erasure_id: ids.erasure,
      user_id: null,
      status: 'DONE',
      created_ts: morning,
      records_deleted_ts: morning + 80,
      finished_ts: morning + minute,
      removed: [
        ...removedRecords,
        { where: ids.project, kind: 'SNAPSHOTS', count: 2 },
        { where: ids.project, kind: 'RESULTS', count: 1 },
      ],
      remains,
    },
  },
};
