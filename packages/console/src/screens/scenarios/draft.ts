import { type Rules, ruleFields } from '../../rules/rules.ts';
import type { Field, Question, Settings } from '../../use/scenarios.ts';

type Level = NonNullable<NonNullable<Settings['diversity']>['level']>;

/** A scenario while it is edited: every field has a value, and empty ones are not sent. */
export interface Draft {
  readonly rules: Rules;
  readonly pins: readonly { readonly id: number; readonly position: number; readonly itemId: string }[];
  readonly promoteIf: string;
  readonly promoteShare: number;
  readonly level: Level;
  readonly spreadAttribute: string;
  readonly maxPerValue: number;
  readonly excludeSeen: boolean;
  readonly seenTypes: string;
  readonly excludedItems: readonly string[];
  readonly limit: string;
  readonly attributes: string;
  readonly explain: boolean;
  readonly windowHours: string;
  readonly eventType: string;
  readonly attribute: string;
  readonly value: string;
}

export function draftOf(settings: Settings): Draft {
  const { boosts = [], pins = [], promote, diversity, value } = settings;
  return {
    rules: {
      filter: settings.filter_query ?? '',
      boosts: boosts.map((boost, id) => ({ id, condition: boost.if, factor: boost.factor })),
      newItemShare: settings.new_item_share ?? 0,
    },
    pins: pins.map(({ position, item_id }, id) => ({ id, position, itemId: item_id })),
    promoteIf: promote?.if ?? '',
    promoteShare: promote?.share ?? 0.2,
    level: diversity?.level ?? 'NONE',
    spreadAttribute: diversity?.attribute ?? '',
    maxPerValue: diversity?.max_per_value ?? 2,
    excludeSeen: settings.exclude_seen ?? true,
    seenTypes: (settings.exclude_event_types ?? []).join(', '),
    excludedItems: settings.exclude_item_ids ?? [],
    limit: settings.limit === undefined ? '' : String(settings.limit),
    attributes: (settings.attributes ?? []).join(', '),
    explain: settings.explain ?? false,
    windowHours: settings.window_hours === undefined ? '' : String(settings.window_hours),
    eventType: settings.event_type ?? '',
    attribute: settings.attribute ?? '',
    value: value === undefined ? '' : valueText(value),
  };
}

const list = [
  'limit',
  'filter_query',
  'boosts',
  'pins',
  'promote',
  'new_item_share',
  'diversity',
  'exclude_item_ids',
  'exclude_seen',
  'exclude_event_types',
] as const;
const shown = ['attributes', 'explain'] as const;
const trend = ['window_hours', 'event_type', 'attribute', 'value'] as const;

/** What each call takes. */
const fieldsOf: Readonly<Record<Question, ReadonlySet<Field>>> = {
  ITEMS_TO_USER: new Set<Field>([...list, ...shown]),
  ITEMS_TO_ITEM: new Set<Field>([...list, ...shown]),
  RANKING: new Set<Field>(['filter_query', 'boosts', 'pins', ...shown]),
  POPULAR: new Set<Field>([...trend, ...list, ...shown]),
};

export const hasField = (question: Question, field: Field) => fieldsOf[question].has(field);

/** The settings that are sent: only what the call takes, and nothing that is the default anyway. */
export function settingsFrom(draft: Draft, question: Question): Settings {
  const { promoteIf, promoteShare, excludedItems, limit, windowHours } = draft;
  const seenTypes = namesIn(draft.seenTypes);
  const attributes = namesIn(draft.attributes);
  const diversity = {
    ...(draft.level !== 'NONE' && { level: draft.level }),
    ...(draft.spreadAttribute !== '' && {
      attribute: draft.spreadAttribute,
      max_per_value: draft.maxPerValue,
    }),
  };
  const pins = draft.pins.filter(({ itemId }) => itemId !== '');
  const all: Settings = {
    ...ruleFields(draft.rules),
    ...(pins.length > 0 && { pins: pins.map(({ position, itemId }) => ({ position, item_id: itemId })) }),
    ...(promoteIf.trim() !== '' && { promote: { if: promoteIf.trim(), share: promoteShare } }),
    ...(Object.keys(diversity).length > 0 && { diversity }),
    ...(!draft.excludeSeen && { exclude_seen: false }),
    ...(draft.excludeSeen && seenTypes.length > 0 && { exclude_event_types: seenTypes }),
    ...(excludedItems.length > 0 && { exclude_item_ids: [...excludedItems] }),
    ...(limit !== '' && { limit: Number(limit) }),
    ...(attributes.length > 0 && { attributes }),
    ...(draft.explain && { explain: true }),
    ...(windowHours !== '' && { window_hours: Number(windowHours) }),
    ...(draft.eventType !== '' && { event_type: draft.eventType }),
    ...(draft.attribute !== '' && { attribute: draft.attribute, value: valueIn(draft.value) }),
  };
  const fields = Object.entries(all).filter(([field]) => hasField(question, field as Field));
  return Object.fromEntries(fields);
}

type Value = NonNullable<Settings['value']>;

/** Numbers, true and false are themselves; a text that looks like one has quotation marks. */
const valueIn = (text: string): Value => {
  const quoted = /^"(.*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
};

const valueText = (value: Value): string =>
  typeof value === 'string' && typeof valueIn(value) !== 'string' ? `"${value}"` : String(value);

const namesIn = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
