import type { AttributeCode, TasteSnapshot, TrainingData } from '@tastegraph/algorithms';

/** Something that a training does not use, for the model's record. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** What a training reads, once it is numbers. */
export interface TrainingInput {
  readonly data: TrainingData;
  /** What analyses of the model read. */
  readonly snapshot: Omit<TasteSnapshot, 'evidence'>;
  /** By item number: those with a record first, in the order of their ids' bytes. */
  readonly itemIds: string[];
  /** By type number; 0 is the target. */
  readonly eventTypes: string[];
  /** How user attributes become tokens. */
  readonly userCodes: AttributeCode[];
  readonly counts: {
    /** In the dataset, whether they are used or not. */
    readonly events: number;
    readonly targetEvents: number;
    /** Those with events. */
    readonly users: number;
    readonly usersWithRecord: number;
    /** With a record, or an event that is used. */
    readonly items: number;
    readonly itemsWithoutRecord: number;
  };
  readonly leftOut: LeftOut[];
}
