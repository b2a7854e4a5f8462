import type { Field, Question, Settings } from '../../use/scenarios.ts';

/** What the address has after the question mark: which scenario is open. */
export interface ScenariosSearch {
  readonly scenario?: string | undefined;
  readonly isNew?: boolean | undefined;
}

/** In words of the shop. */
export const questionLabels: Readonly<Record<Question, string>> = {
  ITEMS_TO_USER: 'items for a user',
  ITEMS_TO_ITEM: 'items similar to an item',
  RANKING: 'an order of your items',
  POPULAR: 'what is popular',
};

export const fieldLabels: Readonly<Record<Field, string>> = {
  filter_query: 'Filter',
  boosts: 'Boosts',
  pins: 'Pins',
  promote: 'Promote',
  new_item_share: 'Share of new items',
  diversity: 'Diversity',
  exclude_seen: 'Leave out seen items',
  exclude_event_types: 'Event types that count as seen',
  exclude_item_ids: 'Items never to recommend',
  limit: 'Items per list',
  attributes: 'Attributes to return',
  explain: 'Reasons in the response',
  window_hours: 'Window in hours',
  event_type: 'Event type to count',
  attribute: 'Attribute',
  value: 'Value of the attribute',
};

export interface Difference {
  readonly field: Field;
  readonly before: string;
  readonly after: string;
}

type Titles = (itemId: string) => string;

/** The items that settings name. */
export const itemsIn = ({ pins = [], exclude_item_ids = [] }: Settings): string[] => [
  ...pins.map(({ item_id }) => item_id),
  ...exclude_item_ids,
];

/** What changed, field by field, in the order of the editor. */
export function differencesOf(
  before: Settings,
  after: Settings,
  titles: Titles = (itemId) => itemId,
): Difference[] {
  return (Object.keys(fieldLabels) as Field[])
    .map((field) => ({ field, before: textOf(before, field, titles), after: textOf(after, field, titles) }))
    .filter((one) => one.before !== one.after);
}

/** A value in words; empty if it is not set. Lists have a line per element. */
function textOf(settings: Settings, field: Field, titles: Titles): string {
  const value: Settings[Field] | null = settings[field];
  if (value === undefined || value === null) return '';
  if (field === 'exclude_item_ids') return (settings.exclude_item_ids ?? []).map(titles).join('\n');
  if (Array.isArray(value)) return value.map((element) => elementText(element, titles)).join('\n');
  if (field === 'new_item_share') return `at least ${Number(value) * 100} %`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? elementText(value, titles) : String(value);
}

function elementText(element: unknown, titles: Titles): string {
  if (typeof element !== 'object' || element === null) return String(element);
  const fields = element as Readonly<Record<string, unknown>>;
  if ('factor' in fields) return `${String(fields['if'])} × ${String(fields['factor'])}`;
  if ('position' in fields) return `${titles(String(fields['item_id']))} at ${String(fields['position'])}`;
  if ('share' in fields) return `${String(fields['if'])}, at least ${Number(fields['share']) * 100} %`;
  return Object.entries(fields)
    .map(([name, one]) => `${name.replaceAll('_', ' ')} ${String(one)}`)
    .join(', ');
}
