import { useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatNumberOf, formatPercent } from '../../format.ts';
import { useTitles } from '../../use/items.ts';
import type { Cluster, Strength } from './read-result.ts';

interface Row extends Strength {
  readonly key: string;
  readonly what: string;
  readonly note: string;
}

/** What sets one cluster apart from all users. */
export function ClusterDetails({ cluster, name, users }: { cluster: Cluster; name: string; users: number }) {
  const { size, cohesion, attributes, items } = cluster;
  const ids = useMemo(() => items.map(({ item_id }) => item_id), [items]);
  const titleOf = useTitles(ids);
  const values = attributes.map((one): Row => {
    const value = String(one.value);
    return { ...one, key: `${one.attribute} ${value}`, what: value, note: one.attribute };
  });
  const titles = items.map(
    (one): Row => ({ ...one, key: one.item_id, what: titleOf(one.item_id), note: '' }),
  );
  return (
    <Card
      className="mt-4"
      title={name}
      hint={`${formatNumberOf(size, 'user')}, ${formatPercent(size / (users || 1), 1)} of all; ${formatPercent(cohesion)} more alike than users in general`}
    >
      <div className="grid gap-x-4 lg:grid-cols-2">
        <Distinctions title="Value" rows={values} hint="share of what they choose" />
        <Distinctions title="Item" rows={titles} hint="share of users who chose it" />
      </div>
    </Card>
  );
}

function Distinctions({ title, hint, rows }: { title: string; hint: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <div className="relative min-w-0">
      <table className="w-full table-fixed">
        <colgroup>
          <col />
          <col className="w-22" />
          <col className="w-20" />
          <col className="w-18" />
        </colgroup>
        <caption className="sr-only">
          {title}s that set the cluster apart: {hint}
        </caption>
        <TableHead
          columns={[
            { title, hint },
            { title: 'Cluster', isNumber: true },
            { title: 'All users', isNumber: true },
            { title: 'Ratio', isNumber: true },
          ]}
        />
        <tbody className="divide-y divide-line">
          {rows.map(({ key, what, note, share, share_of_all, lift }) => (
            <tr key={key}>
              <th scope="row" title={what} className="px-4 py-1.5 text-left sm:truncate font-normal">
                {what} {note !== '' && <span className="text-sm text-muted">{note}</span>}
              </th>
              <td className="px-2 py-1.5 text-right whitespace-nowrap tabular-nums">
                {formatPercent(share, 1)}
              </td>
              <td className="px-2 py-1.5 text-right whitespace-nowrap text-muted tabular-nums">
                {formatPercent(share_of_all, 1)}
              </td>
              <td className="px-4 py-1.5 text-right whitespace-nowrap tabular-nums">{lift.toFixed(1)} ×</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
