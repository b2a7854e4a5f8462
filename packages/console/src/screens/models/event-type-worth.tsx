import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatNumberOf, formatPercent } from '../../format.ts';
import type { Model } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { verdictOf } from './verdict.ts';

type Worth = NonNullable<Model['training']['other_event_types']>[number];
type Contribution = Worth['visitors'];

/** What views, likes and the like add to predicting the target, for whom. */
export function EventTypeWorth({ model }: { model: Model }) {
  const { target_event_type: target } = useProject();
  const types = model.training.other_event_types ?? [];
  if (types.length === 0) return null;
  return (
    <Card title="What each event type is worth" hint="NDCG@20 on test users, without it and with it">
      <table className="w-full">
        <TableHead
          columns={[
            { title: 'For' },
            { title: 'Weight', hint: `${target} = 1`, isNumber: true },
            { title: 'Without', isNumber: true },
            { title: 'With', isNumber: true },
            { title: 'Gain', hint: 'points', isNumber: true },
          ]}
        />
        {types.map((type) => (
          <tbody key={type.event_type} className="border-b border-line">
            <tr>
              <th scope="rowgroup" colSpan={5} className="px-4 pt-2 text-left font-medium">
                {type.event_type}
              </th>
            </tr>
            <WorthRow whom="visitors" what={`no ${target} events yet`} worth={type.visitors} />
            <WorthRow whom="active users" what={`with ${target} events`} worth={type.active_users} />
          </tbody>
        ))}
      </table>
      <ul className="space-y-1.5 px-4 py-3 text-sm text-muted">
        {types.map((type) => (
          <Explanation key={type.event_type} type={type} model={model} target={target} />
        ))}
      </ul>
    </Card>
  );
}

function WorthRow({ whom, what, worth }: { whom: string; what: string; worth: Contribution }) {
  const { weight, ndcg_at_20: after, ndcg_at_20_without: before } = worth;
  const gain = after.value - before.value;
  return (
    <tr className="align-top">
      <th scope="row" className="py-2 pr-2 pl-4 text-left font-normal">
        {whom} <span className="block text-xs text-muted">{what}</span>
      </th>
      <Number>{weight.toFixed(2)}</Number>
      <Number>{formatPercent(before.value, 1)}</Number>
      <Number>{formatPercent(after.value, 1)}</Number>
      <td className="py-2 pr-4 pl-2 text-right whitespace-nowrap tabular-nums">
        {gain > 0 ? '+' : ''}
        {(gain * 100).toFixed(1)}
        {!verdictOf(after, before).isCertain && <span className="block text-xs text-muted">not certain</span>}
      </td>
    </tr>
  );
}

function Number({ children }: { children: ReactNode }) {
  return <td className="px-2 py-2 text-right whitespace-nowrap tabular-nums">{children}</td>;
}

/** Which of the two weights applies to whom, and why a weight is kept that test users do not gain from. */
function Explanation({ type, model, target }: { type: Worth; model: Model; target: string }) {
  const { event_type, visitors, active_users: active, halfway_target_events: halfway } = type;
  const { validation_users } = model.training.metrics;
  const isLoss = active.weight > 0 && active.ndcg_at_20.value < active.ndcg_at_20_without.value;
  const triedWith = (weight: number) => type.tried_weights.find((one) => one.weight === weight)?.ndcg_at_20;
  const [chosen, none] = [triedWith(active.weight), triedWith(0)];
  return (
    <>
      {visitors.weight !== active.weight && (
        <li>
          A {event_type} counts {visitors.weight.toFixed(2)} for users without {target} events,{' '}
          {halfway === 0
            ? `and ${active.weight.toFixed(2)} from the first ${target} event on.`
            : `${active.weight.toFixed(2)} for users with many, and halfway between at ${formatNumberOf(halfway, `${target} item`)}.`}
        </li>
      )}
      {isLoss && chosen !== undefined && none !== undefined && (
        <li>
          Why {event_type} keeps the weight {active.weight.toFixed(2)} for active users: weights are chosen on{' '}
          {validation_users === undefined ? 'other users' : formatNumberOf(validation_users, 'other user')},
          who reached {formatPercent(chosen, 1)} with it and {formatPercent(none, 1)} with the weight 0
          {chosen < none &&
            '; the weight 0 needs a clear advantage, because rare items depend on such events'}
          . Nothing is chosen on the test users, so that their figures stay fair.
        </li>
      )}
    </>
  );
}
