import type { Model } from './find.ts';
import { table } from './terminal/table.ts';

type OtherEventType = NonNullable<Model['training']['other_event_types']>[number];
type Contribution = OtherEventType['visitors'];

/** What each event type other than the target is worth, and for whom; and the evidence against unused ones. */
export function eventTypesTable(types: readonly OtherEventType[]): string[] {
  if (types.length === 0) return [];
  const rows = types.flatMap(({ event_type, visitors, active_users }) => [
    [event_type, 'visitors', ...cells(visitors)],
    ['', 'active users', ...cells(active_users)],
  ]);
  return [
    '',
    table(['event type', 'for', 'weight', 'own item', 'NDCG@20', 'without it', 'users'], rows),
    'Visitors are users without target events.',
    ...types.flatMap(unusedNote),
  ];
}

const cells = ({ weight, own_item_weight, ndcg_at_20, ndcg_at_20_without, users }: Contribution) => [
  String(weight),
  String(own_item_weight),
  ndcg_at_20.value.toFixed(3),
  ndcg_at_20_without.value.toFixed(3),
  users.toLocaleString('en'),
];

function unusedNote({ event_type, visitors, active_users, tried_weights }: OtherEventType): string[] {
  const notes: string[] = [];
  const isUnused = ({ weight, own_item_weight }: Contribution) => weight === 0 && own_item_weight === 0;
  const tried = tried_weights.map(
    ({ weight, ndcg_at_20 }) => `${ndcg_at_20.toFixed(3)} with weight ${weight}`,
  );
  const evidence = tried.length > 0 ? `: NDCG@20 of the validation users is ${tried.join(', ')}` : '';
  if (isUnused(active_users)) notes.push(`Not used for active users: ${event_type}${evidence}`);
  if (isUnused(visitors)) notes.push(`Not used for visitors: ${event_type}`);
  return notes;
}
