import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Entry } from '../../components/entry.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { pictureOf } from '../../items/describe-item.ts';
import { ItemPicture } from '../../items/item-picture.tsx';
import { Reasons, reasonItems } from '../../items/reasons.tsx';
import { RuleBadge } from '../../rules/rule-badge.tsx';
import { useItemLook, useItems, useTitles } from '../../use/items.ts';
import { projectPath } from '../../use/projects.ts';
import type { GivenRecommendation } from './use-outcomes.ts';

interface GivenProps {
  readonly given: GivenRecommendation;
  readonly nameOfModel: (modelId: string | null) => string;
}

/** A response as it was given: to whom, by which model and rules, and each item with its position, score and reasons. */
export function Given({ given, nameOfModel }: GivenProps) {
  const { results, request, degraded } = given;
  const ids = useMemo(() => [...results.map(({ item_id }) => item_id), ...reasonItems(results)], [results]);
  const titleOf = useTitles(ids);
  const items = useItems(ids);
  const look = useItemLook();
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 px-4 py-3">
        <Entry name="Given">
          {formatTime(given.ts)} ({formatAgo(given.ts)}), kept until {formatTime(given.expires_ts)}
        </Entry>
        <Entry name="User">
          {given.user_id === null ? (
            'none (a visitor)'
          ) : (
            <Link
              from={projectPath}
              to={`${projectPath}/playground`}
              search={{ user: given.user_id }}
              className="text-accent-text underline"
            >
              {given.user_id}
            </Link>
          )}
        </Entry>
        <Entry name="Scenario">
          {given.scenario}
          {given.scenario_version !== null && `, version ${given.scenario_version}`}
          {given.variant !== null && (
            <>
              {' '}
              <Badge tone="info">{given.variant}</Badge>
            </>
          )}
        </Entry>
        <Entry name="Model">
          {nameOfModel(given.generator_model_id)}
          {given.ranker_model_id !== null && `, ranked by ${nameOfModel(given.ranker_model_id)}`}
        </Entry>
        {given.is_trial && <Entry name="Counted">no, it was a trial in the console</Entry>}
        {degraded.length > 0 && <Entry name="Missing">{degraded.join(', ')}</Entry>}
      </dl>
      <ol aria-label="Recommended items" className="divide-y divide-line border-y border-line">
        {results.map(({ item_id, position, score, rules, reasons }) => (
          <li key={position} className="grid grid-cols-[1.5rem_auto_minmax(0,1fr)_auto] gap-x-3 px-4 py-2">
            <span className="text-right text-muted tabular-nums">{position}</span>
            <ItemPicture
              src={pictureOf(items.get(item_id) ?? {}, look)}
              title={titleOf(item_id)}
              className="size-8"
            />
            <div className="min-w-0">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="min-w-0 font-medium wrap-anywhere">{titleOf(item_id)}</span>
                {titleOf(item_id) !== item_id && (
                  <span className="min-w-0 truncate text-sm text-muted">{item_id}</span>
                )}
                {rules.map((applied) => (
                  <RuleBadge key={JSON.stringify(applied)} {...applied} />
                ))}
              </p>
              {reasons !== null && (
                <Reasons
                  reasons={reasons}
                  score={score}
                  titleOfItem={titleOf}
                  highlighted={undefined}
                  onHighlight={() => undefined}
                />
              )}
            </div>
            <span className="text-sm whitespace-nowrap tabular-nums">
              <span className="text-xs text-muted">score </span>
              {score.toPrecision(3)}
            </span>
          </li>
        ))}
      </ol>
      {results.every(({ reasons }) => reasons === null) && (
        <p className="px-4 py-2 text-sm text-muted">
          The call did not set <code>explain</code>, so no reasons were kept.
        </p>
      )}
      <details className="px-4 py-3">
        <summary className="cursor-pointer font-medium">The call</summary>
        <pre tabIndex={0} className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">
          {request === null ? 'It was too long to be kept.' : JSON.stringify(request, null, 2)}
        </pre>
      </details>
    </>
  );
}
