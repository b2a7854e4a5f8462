import type { AttributeCode } from './attributes.ts';

/** What the model's numbers stand for. It is part of the file, so that serving needs nothing else. */
export interface Catalogue {
  /** By item number. */
  readonly itemIds: readonly string[];
  /** By event type number; the target is first. */
  readonly eventTypes: readonly string[];
  readonly targetEventType: string;
  /** How a user's attributes become the model's attribute tokens. */
  readonly userCodes: readonly AttributeCode[];
  /** How an item's attributes become tokens, for items that are added after the training. */
  readonly itemCodes: readonly AttributeCode[];
}
