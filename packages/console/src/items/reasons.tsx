import type { Response } from '@tastegraph/sdk';
import clsx from 'clsx';
import { Flame, History, SlidersHorizontal, UserRound } from 'lucide-react';
import { useState } from 'react';
import { formatPercent } from '../format.ts';

type Reason = NonNullable<Response<'recommendItemsToUser'>['results'][number]['reasons']>[number];

const maxShown = 3;
/** Smaller parts of a score explain nothing. */
const minShare = 0.02;

/** Less rounds to 0 %. */
const minShownRest = 0.005;

/** Those that say why, largest first. */
function shownReasons(reasons: readonly Reason[]): Reason[] {
  const total = reasons.reduce((sum, { contribution }) => sum + Math.abs(contribution), 0);
  return reasons
    .filter(({ contribution }) => Math.abs(contribution) >= total * minShare)
    .toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
}

/** The items in the reasons that say why. */
export const reasonItems = (results: readonly { readonly reasons?: readonly Reason[] | null }[]): string[] =>
  results.flatMap(({ reasons }) =>
    shownReasons(reasons ?? []).flatMap(({ kind, id }) => (kind === 'item' && id !== null ? [id] : [])),
  );

const icons = {
  item: <History aria-hidden />,
  attribute: <UserRound aria-hidden />,
  popularity: <Flame aria-hidden />,
  boost: <SlidersHorizontal aria-hidden />,
};

interface ReasonsProps {
  readonly reasons: readonly Reason[];
  readonly score: number;
  readonly titleOfItem: (itemId: string) => string;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
}

/** Each reason with its part of the score. Pointing at one shows the event behind it. */
export function Reasons({ reasons, score, titleOfItem, highlighted, onHighlight }: ReasonsProps) {
  const [isOpen, setOpen] = useState(false);
  const all = shownReasons(reasons);
  const shown = isOpen ? all : all.slice(0, maxShown);
  const rest = score - shown.reduce((sum, { contribution }) => sum + contribution, 0);
  const restShare = score === 0 ? 0 : rest / Math.abs(score);
  const text = ({ kind, id }: Reason) => {
    if (kind === 'popularity') return 'popular with everyone';
    if (kind === 'boost') return 'boosted by a rule';
    return kind === 'item' ? titleOfItem(id ?? '') : (id ?? '').replace('=', ': ');
  };
  return (
    <ul className="mt-1 flex flex-wrap items-center gap-1" aria-label="Reasons">
      {shown.map((reason) => {
        const itemId = reason.kind === 'item' ? (reason.id ?? undefined) : undefined;
        const isHighlighted = itemId !== undefined && itemId === highlighted;
        return (
          <li key={`${reason.kind}${reason.id ?? ''}`} className="min-w-0">
            <button
              type="button"
              data-reason={reason.kind}
              onMouseEnter={() => onHighlight(itemId)}
              onMouseLeave={() => onHighlight(undefined)}
              onFocus={() => onHighlight(itemId)}
              onBlur={() => onHighlight(undefined)}
              // A phone has no pointer to hover with.
              onClick={() => onHighlight(itemId)}
              className={clsx(
                'flex max-w-full items-center gap-1 rounded border px-1.5 py-px text-xs [&_svg]:size-3 [&_svg]:shrink-0 [&_svg]:text-muted',
                isHighlighted ? 'border-highlight-line bg-highlight text-ink' : 'border-line bg-bg text-ink',
              )}
            >
              {icons[reason.kind]}
              <span className="truncate">{text(reason)}</span>
              <span
                className={clsx(
                  'whitespace-nowrap tabular-nums',
                  reason.contribution < 0 ? 'text-bad' : 'text-muted',
                )}
              >
                {score === 0 ? '' : formatPercent(reason.contribution / Math.abs(score))}
              </span>
            </button>
          </li>
        );
      })}
      {(isOpen || all.length <= maxShown) && Math.abs(restShare) >= minShownRest && (
        <li className="px-1 text-xs text-muted tabular-nums">other {formatPercent(restShare)}</li>
      )}
      {all.length > maxShown && (
        <li>
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="rounded px-1 text-xs text-accent-text hover:underline"
          >
            {isOpen ? 'fewer' : `+ ${all.length - maxShown} more, ${formatPercent(restShare)}`}
          </button>
        </li>
      )}
    </ul>
  );
}
