import type { AttributeCode, TasteSnapshot, TrainingData } from '@tastegraph/algorithms';

/** Data that a training does not use, for the model's record. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** The data of a training as numbers. */
export interface TrainingInput {
  readonly data: TrainingData;
  /** For analyses of the model. */
  readonly snapshot: Omit<TasteSnapshot, 'priorStrength'>;
  /** By item number: items with a record first, in byte order of their IDs. */
  readonly itemIds: string[];
  /** By type number; 0 is the target. */
  readonly eventTypes: string[];
  /** How user attributes are encoded as tokens. */
  readonly userCodes: AttributeCode[];
  /** How item attributes are encoded as tokens. */
  readonly itemCodes: AttributeCode[];
  readonly counts: {
    /** All events of the dataset, used or not. */
    readonly events: number;
    readonly newestEventTs: number | undefined;
    readonly targetEvents: number;
    /** Users with events. */
    readonly users: number;
    readonly usersWithRecord: number;
    /** Items with a record or a used event. */
    readonly items: number;
    readonly itemsWithoutRecord: number;
  };
  readonly leftOut: LeftOut[];
}
