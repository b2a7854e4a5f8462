import type { Response } from '@tastegraph/contract';

type Remaining = Response<'getErasure'>['remains'][number];

/** The stage of an erasure that removes the user, or why none has to. */
type Removal = 'RECORDS' | 'SNAPSHOTS' | 'RESULTS' | 'DECISIONS' | 'DONE' | { readonly because: string };

/**
 * Every column that can hold a user's ID, and what removes it. `erasure-places.test.ts` compares this with the schema: a new column of text
 * or JSON fails it until somebody decides whether it can.
 */
export const columnsWithUsers: Readonly<Record<string, Removal>> = {
  'users.user_id': 'RECORDS',
  'users.attributes': 'RECORDS',
  'events.user_id': 'RECORDS',
  'events.event_id': 'RECORDS',
  'events.attributes': 'RECORDS',
  'schedules.what': 'SNAPSHOTS',
  'jobs.job_data': 'SNAPSHOTS',
  'job_parts.last_user_id': {
    because: 'the erasure waits until a job that started before it has ended, which removes its parts',
  },
  'erasures.user_id': 'DONE',
};

/** Where objects are, and what removes the user from those that contain them. */
export const objectFolders: Readonly<Record<string, Removal | Remaining>> = {
  models: 'SNAPSHOTS',
  results: 'RESULTS',
  decisions: 'DECISIONS',
  imports: {
    what: 'Files that you copied to `imports/` in the object store',
    until: 'you delete them there',
  },
};

/** The token buckets in Redis, and whose calls they count. None is of a user: they are of projects, API keys, addresses, browsers and people. */
export const bucketsWithoutUsers = [
  'qps',
  'tokens-issued',
  'tokens-failed-pair',
  'tokens-failed-address',
  'sign-in-failed-pair',
  'sign-in-failed-email',
  'sign-in-failed-address',
  'sign-in-failed-device',
];

const isRemaining = (place: Removal | Remaining): place is Remaining =>
  typeof place === 'object' && 'until' in place;

/** Data that an erasure cannot delete. */
export const remains: readonly Remaining[] = [
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
  {
    what: 'Items, and attributes of items and other users, in which you use the ID yourself',
    until: 'you change or delete them',
  },
  ...Object.values(objectFolders).filter(isRemaining),
];
