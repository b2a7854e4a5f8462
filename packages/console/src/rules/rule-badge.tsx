import type { Response } from '@tastegraph/sdk';
import { Badge } from '../components/badge.tsx';

type AppliedRule = NonNullable<Response<'recommendItemsToUser'>['results'][number]['rules']>[number];

/** A rule that affected an item. */
export function RuleBadge({ rule, factor, probability }: AppliedRule) {
  return (
    <Badge tone="info">
      {rule === 'new_item_share' ? 'drawn' : rule}
      {factor === undefined ? '' : ` × ${factor}`}
      {probability === undefined ? '' : `, 1 in ${Math.round(1 / probability)}`}
    </Badge>
  );
}
