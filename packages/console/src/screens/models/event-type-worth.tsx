import { Card } from '../../components/card.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatPercent } from '../../format.ts';
import type { Model } from '../../models/use-models.ts';

type Worth = NonNullable<Model['training']['other_event_types']>[number];

/** What views, likes and the like add to predicting the target, for whom. */
export function EventTypeWorth({ model }: { model: Model }) {
  const types = model.training.other_event_types ?? [];
  if (types.length === 0) return null;
  return (
    <Card title="What each event type is worth" hint="NDCG@20 with it, beside without it">
      <div className="relative overflow-x-auto">
        <table className="w-full min-w-120">
          <TableHead
            columns={[
              { title: 'Event type' },
              { title: 'For' },
              { title: 'Weight', isNumber: true },
              { title: 'Without', isNumber: true },
              { title: 'With', isNumber: true },
              { title: 'Gain', isNumber: true },
            ]}
          />
          <tbody className="divide-y divide-line">
            {types.map((type) => (
              <WorthRows key={type.event_type} type={type} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function WorthRows({ type }: { type: Worth }) {
  const rows = [
    { whom: 'visitors', worth: type.visitors },
    { whom: 'active users', worth: type.active_users },
  ];
  return rows.map(({ whom, worth }, index) => {
    const gain = worth.ndcg_at_20.value - worth.ndcg_at_20_without.value;
    return (
      <tr key={whom}>
        {index === 0 && (
          <th scope="rowgroup" rowSpan={rows.length} className="px-4 py-2 text-left align-top font-medium">
            {type.event_type}
          </th>
        )}
        <td className="px-2 py-2 whitespace-nowrap">{whom}</td>
        <td className="px-2 py-2 text-right tabular-nums">{worth.weight.toFixed(2)}</td>
        <td className="px-2 py-2 text-right tabular-nums">
          {formatPercent(worth.ndcg_at_20_without.value, 1)}
        </td>
        <td className="px-2 py-2 text-right tabular-nums">{formatPercent(worth.ndcg_at_20.value, 1)}</td>
        <td className="px-4 py-2 text-right tabular-nums">
          {gain > 0 ? '+' : ''}
          {(gain * 100).toFixed(1)}
        </td>
      </tr>
    );
  });
}
