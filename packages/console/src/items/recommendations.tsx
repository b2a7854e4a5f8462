import type { Response } from '@tastegraph/sdk';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, Sparkles, Sprout } from 'lucide-react';
import { useMemo } from 'react';
import { Badge } from '../components/badge.tsx';
import { EmptyState } from '../components/states.tsx';
import { formatAgo } from '../format.ts';
import { RuleBadge } from '../rules/rule-badge.tsx';
import type { NewestEvents } from '../use/events.ts';
import { useItemLook, useTitles } from '../use/items.ts';
import { useSlices } from '../use-slices.ts';
import { formatValue, type ItemLook, pictureOf, titleOf } from './describe-item.ts';
import { ItemPicture } from './item-picture.tsx';
import { Reasons, reasonItems } from './reasons.tsx';

type Recommendation = Response<'recommendItemsToUser'>;
type Result = Recommendation['results'][number];

/** What became of an item between two lists. */
export type Move =
  | {
      readonly kind: 'moved';
      /** Places up; negative for down, 0 for none. */
      readonly up: number;
      readonly scoreChange: number;
    }
  | { readonly kind: 'new' }
  | { readonly kind: 'gone' };

interface RecommendationsProps {
  readonly answer: Pick<Recommendation, 'results' | 'shortfall'>;
  readonly isStale: boolean;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
  /** The newest event of the user with each item. */
  readonly seen?: NewestEvents | undefined;
  /** What each item did compared with another list. */
  readonly moves?: ReadonlyMap<string, Move> | undefined;
}

/** All rows of a first list at once would keep clicks waiting on a slow machine. */
const rowsPerSlice = 4;

export function Recommendations(props: RecommendationsProps) {
  const { answer, isStale, highlighted, onHighlight, moves, seen } = props;
  const look = useItemLook();
  const { results } = answer;
  const slices = useSlices(Math.ceil(results.length / rowsPerSlice) - 1);
  const titleOfItem = useTitles(useMemo(() => reasonItems(results), [results]));
  const best = Math.max(...results.map(({ score = 0 }) => score), 0);
  if (results.length === 0)
    return (
      <EmptyState icon={Sparkles} title="Nothing to recommend">
        {answer.shortfall ?? 'No item passes the filter, or this user has seen them all.'}
      </EmptyState>
    );
  return (
    <>
      <ol className={clsx('divide-y divide-line', isStale && 'opacity-60')} aria-busy={isStale}>
        {results.slice(0, (slices + 1) * rowsPerSlice).map((result, index) => (
          <Row
            key={result.item.item_id}
            result={result}
            rank={index + 1}
            look={look}
            best={best}
            titleOfItem={titleOfItem}
            highlighted={highlighted}
            onHighlight={onHighlight}
            move={moves?.get(result.item.item_id)}
            event={seen?.get(result.item.item_id)}
          />
        ))}
      </ol>
      {typeof answer.shortfall === 'string' && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">{answer.shortfall}</p>
      )}
    </>
  );
}

const scoreTitle = 'Orders the list. Compare it within one answer only: it is not a probability.';

interface RowProps {
  readonly result: Result;
  readonly rank: number;
  readonly look: ItemLook;
  readonly best: number;
  readonly titleOfItem: (itemId: string) => string;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
  readonly move: Move | undefined;
  readonly event: { readonly event_type: string; readonly ts: number } | undefined;
}

function Row(props: RowProps) {
  const { result, rank, look, best, titleOfItem, highlighted, onHighlight, move, event } = props;
  const { item, score = 0, reasons = [], rules = [], is_new: isNew = false } = result;
  const title = titleOf(item.item_id, item, look);
  return (
    <li className="grid grid-cols-[1.25rem_auto_minmax(0,1fr)] gap-x-3 px-4 py-2.5 sm:grid-cols-[1.5rem_auto_minmax(0,1fr)_7rem]">
      <span className="pt-0.5 text-right text-muted tabular-nums">{rank}</span>
      <ItemPicture src={pictureOf(item, look)} title={title} className="size-11" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 font-medium wrap-anywhere">{title}</span>
          {isNew && (
            <Badge tone="accent">
              <Sprout aria-hidden /> new item
            </Badge>
          )}
          {move && <MoveBadge move={move} />}
          {event && (
            <Badge>
              {event.event_type}, {formatAgo(event.ts)}
            </Badge>
          )}
          <span className="min-w-0 truncate text-sm text-muted">
            {look.details
              .filter((name) => item[name] !== null && item[name] !== undefined)
              .map((name) => formatValue(item[name]))
              .join(' · ')}
          </span>
          {rules.map((applied) => (
            <RuleBadge key={JSON.stringify(applied)} {...applied} />
          ))}
        </p>
        <Reasons
          reasons={reasons}
          score={score}
          titleOfItem={titleOfItem}
          highlighted={highlighted}
          onHighlight={onHighlight}
        />
      </div>
      <div className="pt-1 max-sm:col-start-3 max-sm:flex max-sm:flex-row-reverse max-sm:items-center max-sm:gap-2">
        <p className="text-right text-sm whitespace-nowrap tabular-nums" title={scoreTitle}>
          <span className="text-xs text-muted">score </span>
          {score.toPrecision(3)}
        </p>
        {move?.kind === 'moved' && move.scoreChange !== 0 && (
          <p className="text-right text-xs text-muted tabular-nums" title="Compared with the first list">
            {move.scoreChange > 0 ? '+' : '−'}
            {Math.abs(move.scoreChange).toPrecision(2)}
          </p>
        )}
        <div className="h-1.5 overflow-hidden rounded-full bg-sunken max-sm:flex-1 sm:mt-1" aria-hidden>
          <div
            className="h-full rounded-full bg-accent"
            style={{ width: `${best > 0 ? Math.max(2, (score / best) * 100) : 0}%` }}
          />
        </div>
      </div>
    </li>
  );
}

/** Up or down by so many places, new or gone. */
function MoveBadge({ move }: { move: Move }) {
  if (move.kind === 'new') return <Badge tone="accent">new</Badge>;
  if (move.kind === 'gone') return <Badge tone="bad">gone</Badge>;
  const { up } = move;
  if (up === 0) return null;
  return (
    <Badge tone={up > 0 ? 'good' : 'warn'}>
      {up > 0 ? <ArrowUp aria-label="up" /> : <ArrowDown aria-label="down" />}
      {Math.abs(up)}
    </Badge>
  );
}
