import type { Request } from '@tastegraph/contract';
import { limits } from '@tastegraph/contract/limits';
import { ApiError } from '../http/api-error.ts';

type Sent = Partial<Omit<Request<'recommendItemsToUser'>, 'project_id' | 'scenario'>>;

/** The fields that recommendation calls share. For a question without a field, its default applies. */
export interface Placement
  extends Required<
    Omit<Sent, 'user_id' | 'exclude_event_types' | 'promote' | 'diversity' | 'cursor' | 'model_id'>
  > {
  readonly user_id: string | undefined;
  /** Undefined for the target type alone, which the model itself can exclude. */
  readonly exclude_event_types: readonly string[] | undefined;
  readonly promote: Sent['promote'];
  readonly diversity: Sent['diversity'];
  readonly cursor: string | undefined;
  /** Undefined for the deployed models. */
  readonly model_id: string | undefined;
  /** The request's own limit, which may be above the maximum. */
  readonly requestedLimit: number;
}

export function placementOf(sent: Sent): Placement {
  const requestedLimit = sent.limit ?? limits.recommendDefault;
  return {
    user_id: sent.user_id,
    context_items: sent.context_items ?? [],
    attributes: sent.attributes ?? [],
    limit: Math.min(requestedLimit, limits.recommendMax),
    requestedLimit,
    filter_query: sent.filter_query ?? null,
    exclude_seen: sent.exclude_seen ?? true,
    exclude_event_types: sent.exclude_event_types,
    exclude_item_ids: sent.exclude_item_ids ?? [],
    boosts: sent.boosts ?? [],
    pins: sent.pins ?? [],
    promote: sent.promote,
    new_item_share: sent.new_item_share ?? 0,
    diversity: sent.diversity,
    explain: sent.explain ?? false,
    cursor: sent.cursor,
    model_id: sent.model_id,
  };
}

/** Throws unless the call says whose taste counts. */
export function requireUser({ user_id, context_items }: Placement): void {
  if (user_id !== undefined || context_items.length > 0) return;
  throw new ApiError(
    'INVALID_REQUEST',
    'Pass user_id, or context_items with the items that a visitor without an ID has just looked at, or both.',
    {
      errors: [
        { path: 'user_id', message: 'is required unless context_items has items' },
        { path: 'context_items', message: 'is required unless user_id is given' },
      ],
    },
  );
}

/** What may differ from page to page. */
const pageFields: ReadonlySet<string> = new Set<keyof Placement>([
  'attributes',
  'explain',
  'limit',
  'requestedLimit',
  'cursor',
]);

/** Everything that decides which items come in which order: what a cursor is bound to. */
export function listOf(placement: Placement): unknown {
  return Object.entries(placement).filter(([name]) => !pageFields.has(name));
}
