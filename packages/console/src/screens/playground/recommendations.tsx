import type { Response } from '@tastegraph/sdk';
import clsx from 'clsx';
import { Sparkles } from 'lucide-react';
import { useMemo } from 'react';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/states.tsx';
import { formatValue, type ItemLook, pictureOf, titleOf } from '../../items/describe-item.ts';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useItemLook, useTitles } from '../../items/use-items.ts';
import { Reasons, shownReasons } from './reasons.tsx';

type Recommendation = Response<'recommendItemsToUser'>;
type Result = Recommendation['results'][number];

interface RecommendationsProps {
  readonly answer: Recommendation;
  readonly isStale: boolean;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
}

export function Recommendations({ answer, isStale, highlighted, onHighlight }: RecommendationsProps) {
  const look = useItemLook();
  const { results } = answer;
  const reasonItems = useMemo(
    () =>
      results.flatMap(({ reasons = [] }) =>
        shownReasons(reasons).flatMap(({ kind, id }) => (kind === 'item' && id !== null ? [id] : [])),
      ),
    [results],
  );
  const titleOfItem = useTitles(reasonItems);
  const best = Math.max(...results.map(({ score = 0 }) => score), 0);
  if (results.length === 0)
    return (
      <EmptyState icon={<Sparkles aria-hidden />} title="Nothing to recommend">
        {answer.shortfall ?? 'No item passes the filter, or this user has seen them all.'}
      </EmptyState>
    );
  return (
    <>
      <ol className={clsx('divide-y divide-line', isStale && 'opacity-60')} aria-busy={isStale}>
        {results.map((result, index) => (
          <Row
            key={result.item.item_id}
            result={result}
            rank={index + 1}
            look={look}
            best={best}
            titleOfItem={titleOfItem}
            highlighted={highlighted}
            onHighlight={onHighlight}
          />
        ))}
      </ol>
      {typeof answer.shortfall === 'string' && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">{answer.shortfall}</p>
      )}
    </>
  );
}

interface RowProps {
  readonly result: Result;
  readonly rank: number;
  readonly look: ItemLook;
  readonly best: number;
  readonly titleOfItem: (itemId: string) => string;
  readonly highlighted: string | undefined;
  readonly onHighlight: (itemId: string | undefined) => void;
}

function Row({ result, rank, look, best, titleOfItem, highlighted, onHighlight }: RowProps) {
  const { item, score = 0, reasons = [], rules = [] } = result;
  const title = titleOf(item.item_id, item, look);
  return (
    <li className="grid grid-cols-[1.5rem_auto_minmax(0,1fr)] gap-x-3 px-4 py-2.5 sm:grid-cols-[1.5rem_auto_minmax(0,1fr)_7rem]">
      <span className="pt-0.5 text-right text-muted tabular-nums">{rank}</span>
      <ItemPicture src={pictureOf(item, look)} title={title} className="size-11" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 font-medium wrap-anywhere">{title}</span>
          <span className="min-w-0 truncate text-sm text-muted">
            {look.details
              .filter((name) => item[name] !== null && item[name] !== undefined)
              .map((name) => formatValue(item[name]))
              .join(' · ')}
          </span>
          {rules.map(({ rule, factor }) => (
            <Badge key={`${rule}${factor ?? ''}`} tone="info">
              {rule}
              {factor === undefined ? '' : ` × ${factor}`}
            </Badge>
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
      <div className="hidden pt-1 sm:block">
        <p className="text-right text-sm tabular-nums" title="Score">
          {score.toPrecision(3)}
        </p>
        <div className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken" aria-hidden>
          <div
            className="h-full rounded-full bg-accent"
            style={{ width: `${best > 0 ? Math.max(2, (score / best) * 100) : 0}%` }}
          />
        </div>
      </div>
    </li>
  );
}
