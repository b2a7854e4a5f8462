import Type from 'typebox';
import { ids, minute, morning } from '../bookshop.ts';
import { Closed, Id, NamedObject, Nullable, NullableTs, Ts, UserId } from '../fields.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const Removed = NamedObject('ErasureRemoved', {
  where: Type.String({
    description: 'The ID of the dataset, or of the project to which the files belonged.',
  }),
  kind: Type.Enum(['USERS', 'EVENTS', 'SNAPSHOTS', 'RESULTS', 'DECISIONS'], {
    description:
      'What was removed. `USERS` and `EVENTS` are records. `SNAPSHOTS` are the training data that is kept with each model. `RESULTS` are the results of jobs, such as querying and clustering jobs. `DECISIONS` are answers of recommendation calls in the decision log.',
  }),
  count: Type.Integer({ minimum: 1, description: 'The number of records, files or answers removed.' }),
});

const Remaining = NamedObject('ErasureRemaining', {
  what: Type.String({ description: 'What may still contain data of the user.' }),
  until: Type.String({ description: 'When that data is removed, or who decides when it is.' }),
});

const Erasure = NamedObject('Erasure', {
  erasure_id: Id('erasure'),
  user_id: Nullable(Type.String(), {
    description:
      'Your ID for the user. Null once the erasure is `DONE`, because the receipt does not keep it.',
  }),
  status: Type.Enum(['RUNNING', 'DONE'], {
    description:
      'The status of the erasure. `DONE` means that all records and files with the user are removed.',
  }),
  created_ts: Ts('When the erasure started'),
  records_deleted_ts: NullableTs(
    'When the last record was deleted',
    'Null while records are still being deleted.',
  ),
  finished_ts: NullableTs('When the erasure finished', 'Null until it is `DONE`.'),
  removed: Type.Array(Removed, {
    description: 'What has been removed so far. Datasets and projects without data of the user are left out.',
  }),
  remains: Type.Array(Remaining, {
    description: 'Where data of the user may remain, because the erasure does not reach it.',
  }),
});

const operations = {
  eraseUser: {
    summary: 'Erase a user from all datasets, results and training snapshots of the account',
    description: [
      "Deletes the user's records and events in every dataset, then every training snapshot and every result that contains the user's ID. The call returns when the records are deleted. If that takes more than 10 seconds, the call returns before all of them are deleted, and `records_deleted_ts` is null. A worker does the rest; poll `/get-erasure` until `status` is `DONE`.",
      'A model keeps serving without its snapshot, because its file contains no users. Querying and clustering jobs need a newly trained model. The erasure waits for jobs that were running when it started, because they may have already read the data.',
      'If you call it again for the same user while the erasure is running, it returns the same `erasure_id`, and the erasure starts over. Events and records that arrive after the erasure are new data and are kept, so stop sending them first.',
    ].join('\n\n'),
    request: Closed({ user_id: UserId }),
    response: Erasure,
    errors: ['QUOTA_EXCEEDED'],
  },
  getErasure: {
    summary: 'Get the status of an erasure, what it removed, and what remains',
    description:
      'Returns the receipt of `/erase-user`. It is kept for as long as the account exists, without the ID of the user, so store the `erasure_id` with the erasure request that you received.',
    request: Closed({ erasure_id: Id('erasure') }),
    response: Erasure,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

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

export const erasureOperations = defineOperations('Records', operations, {
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
});
