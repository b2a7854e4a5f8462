import type { WebhookEvent } from '@tastegraph/contract';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { ApiError } from './api-error.ts';

/** A row that is about to be deleted. */
export type Deleting =
  | { readonly what: 'dataset'; readonly key: number }
  | {
      readonly what: 'model';
      readonly accountId: string;
      readonly projectId: string;
      readonly modelId: string;
    }
  | {
      readonly what: 'scenario';
      readonly accountId: string;
      readonly projectId: string;
      readonly name: string;
    };

/** `user_id` is the customer's own. */
export interface ErasedUser {
  readonly account_id: string;
  readonly user_id: string;
}

/** What modules tell and ask each other without importing each other. `processes/modules.ts` lists who listens. */
export interface Hooks {
  /**
   * Tells the account that something has happened. Call it in the transaction in which it happens: the message is sent if and only if
   * the transaction commits. `data` has IDs, names and figures, and no records.
   */
  announce(tx: Queryable, accountId: string, type: WebhookEvent, data: object): Promise<void>;
  /** Removes a user whom the account erases from what is no record of theirs. Data that is read from now on no longer names them. */
  forgetUser(db: Queryable, user: ErasedUser): Promise<void>;
  /** Why a row must stay, if another module needs it. */
  neededBy(db: Queryable, row: Deleting): Promise<ApiError | undefined>;
}
