import Type from 'typebox';
import { Closed, Id, Named, Nullable, NullableTs, Ts, UserId } from './fields.ts';

export const EraseUser = Closed({ user_id: UserId });

export const ErasureRef = Closed({ erasure_id: Id('erasure') });

const Removed = Named(
  'ErasureRemoved',
  Closed({
    where: Type.String({
      description: 'The ID of the dataset, or of the project to which the files belonged.',
    }),
    kind: Type.Enum(['USERS', 'EVENTS', 'SNAPSHOTS', 'RESULTS', 'DECISIONS'], {
      description:
        'What was removed. `USERS` and `EVENTS` are records. `SNAPSHOTS` are the training data that is kept with each model. `RESULTS` are the results of jobs, such as querying and clustering jobs. `DECISIONS` are answers of recommendation calls in the decision log.',
    }),
    count: Type.Integer({ minimum: 1, description: 'The number of records, files or answers removed.' }),
  }),
);

const Remaining = Named(
  'ErasureRemaining',
  Closed({
    what: Type.String({ description: 'What may still contain data of the user.' }),
    until: Type.String({ description: 'When that data is removed, or who decides when it is.' }),
  }),
);

export const Erasure = Named(
  'Erasure',
  Closed({
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
      description:
        'What has been removed so far. Datasets and projects without data of the user are left out.',
    }),
    remains: Type.Array(Remaining, {
      description: 'Where data of the user may remain, because the erasure does not reach it.',
    }),
  }),
);
