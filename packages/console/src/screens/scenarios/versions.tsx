import { RotateCcw } from 'lucide-react';
import { useMemo } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { useTitles } from '../../use/items.ts';
import { restored, type Scenario, settingsOf, useSaveScenario, useVersions } from '../../use/scenarios.ts';
import { type Difference, differencesOf, fieldLabels, itemsIn } from './settings.ts';

/** Each version with what it changed, newest first. */
export function Versions({ scenario, onRestored }: { scenario: Scenario; onRestored: () => void }) {
  const { versions, error, isPending } = useVersions(scenario);
  const titles = useTitles(useMemo(() => versions.flatMap((one) => itemsIn(settingsOf(one))), [versions]));
  const save = useSaveScenario();
  const canRestore = useMay('updateScenario');
  if (error) return <ErrorState error={error} />;
  if (isPending) return <Skeleton lines={6} />;
  return (
    <>
      {save.error && <ErrorState error={save.error} />}
      <ol className="divide-y divide-line rounded-md border border-line" aria-label="Versions">
        {versions.map((one, index) => {
          const before = versions[index + 1];
          const isCurrent = one.version === scenario.version;
          return (
            <li key={one.version} className="px-4 py-3">
              <div className="flex flex-wrap items-center gap-2">
                <p className="font-medium">Version {one.version}</p>
                {isCurrent && <Badge tone="good">current</Badge>}
                <span className="text-sm text-muted" title={formatTime(one.updated_ts)}>
                  {formatAgo(one.updated_ts)}
                </span>
                {!isCurrent && canRestore && (
                  <Button
                    className="ml-auto"
                    aria-label={`Restore version ${one.version}`}
                    disabled={save.isPending}
                    onClick={() => save.mutate(restored(scenario, one), { onSuccess: onRestored })}
                  >
                    <RotateCcw aria-hidden /> Restore
                  </Button>
                )}
              </div>
              {before || one.version === 1 ? (
                <Differences
                  list={differencesOf(before ? settingsOf(before) : {}, settingsOf(one), titles)}
                />
              ) : (
                <p className="mt-1 text-sm text-muted">The version before it is no longer kept.</p>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Field by field: what was removed, and what was added. */
function Differences({ list }: { list: readonly Difference[] }) {
  if (list.length === 0) return <p className="mt-1 text-sm text-muted">No difference.</p>;
  return (
    <dl className="mt-2 space-y-2">
      {list.map(({ field, before, after }) => (
        <div key={field}>
          <dt className="text-sm text-muted">{fieldLabels[field]}</dt>
          <dd className="mt-0.5 overflow-hidden rounded font-mono text-xs">
            <Lines mark="−" label="Before" text={before} className="bg-bad-soft text-bad" />
            <Lines mark="+" label="After" text={after} className="bg-good-soft text-good" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Lines(props: { mark: string; label: string; text: string; className: string }) {
  if (props.text === '') return null;
  return props.text.split('\n').map((line) => (
    <p key={line} className={`px-2 py-0.5 wrap-anywhere ${props.className}`}>
      <span aria-hidden>{props.mark} </span>
      <span className="sr-only">{props.label}: </span>
      {line}
    </p>
  ));
}
