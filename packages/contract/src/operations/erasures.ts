import { EraseUser, Erasure, ErasureRef } from '../schemas/erasure.ts';
import type { Operation } from './operation.ts';

const concept = 'Records';

export const erasureOperations = {
  eraseUser: {
    concept,
    summary: 'Erase a user from all datasets, results and training snapshots of the account',
    description: [
      "Deletes the user's records and events in every dataset, then every training snapshot and every result that contains the user's ID. The call returns when the records are deleted. If that takes more than 10 seconds, the call returns before all of them are deleted, and `records_deleted_ts` is null. A worker does the rest; poll `/get-erasure` until `status` is `DONE`.",
      'A model keeps serving without its snapshot, because its file contains no users. Querying and clustering jobs need a newly trained model. The erasure waits for jobs that were running when it started, because they may have already read the data.',
      'If you call it again for the same user while the erasure is running, it returns the same `erasure_id`, and the erasure starts over. Events and records that arrive after the erasure are new data and are kept, so stop sending them first.',
    ].join('\n\n'),
    request: EraseUser,
    response: Erasure,
    errors: ['QUOTA_EXCEEDED'],
  },
  getErasure: {
    concept,
    summary: 'Get the status of an erasure, what it removed, and what remains',
    description:
      'Returns the receipt of `/erase-user`. It is kept for as long as the account exists, without the ID of the user, so store the `erasure_id` with the erasure request that you received.',
    request: ErasureRef,
    response: Erasure,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
