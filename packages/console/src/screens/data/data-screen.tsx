import { Bar } from '../../components/bar.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { Findings } from '../../components/findings.tsx';
import { QueryView } from '../../components/states.tsx';
import { formatCompact, formatCount, formatPercent } from '../../format.ts';
import { DropZone } from '../../import/drop-zone.tsx';
import { useMay } from '../../session/access.tsx';
import { useDatasets, useTrainingCheck } from '../../use/datasets.ts';
import { useSlices } from '../../use-slices.ts';
import { Browser } from './browser.tsx';
import { DatasetGrowth } from './dataset-growth.tsx';
import { Retention } from './retention.tsx';

export function DataScreen() {
  const datasets = useDatasets();
  const check = useTrainingCheck();
  const canImport = useMay('upsertDatasetEvents');
  const shown = useSlices(1);
  return (
    <>
      <PageHeader title="Data" hint="Users, items and the events between them." />
      {canImport && <DropZone />}
      <QueryView query={datasets}>
        {(list) => (
          <ul className="mb-4 grid gap-3 sm:grid-cols-3">
            {list.map((dataset) => {
              const { kind, id, name, count, ceiling, retentionDays } = dataset;
              return (
                <li key={kind} className="rounded-lg border border-line bg-card p-4">
                  <p className="flex items-baseline justify-between gap-2">
                    <span className="font-semibold capitalize">{kind}</span>
                    <span className="truncate text-sm text-muted">dataset “{name}”</span>
                  </p>
                  <p className="mt-2 text-2xl font-semibold tracking-tight tabular-nums">
                    {formatCount(count)}
                  </p>
                  <Ceiling label={`${kind} of the maximum`} count={count} ceiling={ceiling} />
                  <DatasetGrowth dataset={dataset} />
                  {retentionDays !== undefined && <Retention datasetId={id} days={retentionDays} />}
                </li>
              );
            })}
          </ul>
        )}
      </QueryView>
      {shown > 0 && (
        <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
          <Browser />
          <Card title="Data check" hint="problems that a training would find">
            <QueryView query={check}>{(found) => <Findings check={found} />}</QueryView>
          </Card>
        </div>
      )}
    </>
  );
}

const nearlyFull = 0.9;

function Ceiling({ label, count, ceiling }: { label: string; count: number; ceiling: number }) {
  return (
    <div className="mt-2">
      <Bar role="meter" label={label} value={count} max={ceiling} />
      <p className="mt-1 text-sm text-muted">
        {formatPercent(count / ceiling)} of the maximum of {formatCompact(ceiling)}
        {count > nearlyFull * ceiling && '. Raise num_shards of the dataset before it is full.'}
      </p>
    </div>
  );
}
