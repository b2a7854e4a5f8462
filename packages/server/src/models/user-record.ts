/** What a model reads of a user. */
export interface UserRecord {
  readonly attributes: Record<string, unknown> | null;
  /** Newest first, flat: item, type and value of each event. */
  readonly events: readonly string[];
}

/** Fields of an event in `UserRecord.events`. */
export const eventFields = 3;
