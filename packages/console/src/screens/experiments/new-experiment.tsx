import clsx from 'clsx';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, labelsOf, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { formatNumber } from '../../format.ts';
import { type ExperimentMetric, experimentMetrics, useCreateExperiment } from '../../use/experiments.ts';
import { useModels } from '../../use/models.ts';
import { keptVersions, useScenarios } from '../../use/scenarios.ts';

interface Settings {
  readonly name: string;
  readonly scenario: string;
  readonly metric: ExperimentMetric;
  readonly hours: string;
}

interface Draft {
  readonly name: string;
  /** Empty for the deployed one. */
  readonly modelId: string;
  /** Empty for the current one. */
  readonly version: string;
  /** Percent of users. Empty in all variants: the same for each. */
  readonly share: string;
}

const maxVariants = 5;

/** Which users get what: the first variant is what the others are compared with. */
export function NewExperimentDialog(props: {
  onClose: () => void;
  onCreated: (experimentId: string) => void;
}) {
  const { onClose, onCreated } = props;
  const create = useCreateExperiment();
  const models = useModels();
  const scenarios = useScenarios();
  const [settings, setSettings] = useState<Settings>({
    name: '',
    scenario: 'default',
    metric: 'CONVERTED',
    hours: '24',
  });
  const [variants, setVariants] = useState<readonly Draft[]>([
    { name: 'control', modelId: '', version: '', share: '' },
    { name: 'new model', modelId: '', version: '', share: '' },
  ]);
  const newest = scenarios.data?.find((one) => one.name === settings.scenario)?.version ?? 0;
  const versions = Array.from({ length: Math.min(newest, keptVersions) }, (_, index) =>
    String(newest - index),
  );
  const change = (index: number, next: Partial<Draft>) =>
    setVariants(variants.map((one, at) => (at === index ? { ...one, ...next } : one)));
  const distinct = new Set(variants.map(({ modelId, version }) => `${modelId} ${version}`));
  const areEqual = distinct.size < variants.length;
  const hasShares = variants.some(({ share }) => share !== '');
  const total = variants.reduce((sum, { share }) => sum + Number(share), 0);
  const submit = () => {
    const { hours, ...rest } = settings;
    const experiment = {
      ...rest,
      window_hours: Number(hours),
      variants: variants.map((one) => ({
        name: one.name,
        ...(one.modelId !== '' && { model_id: one.modelId }),
        ...(versions.includes(one.version) && { scenario_version: Number(one.version) }),
        ...(hasShares && { share: Number(one.share) / 100 }),
      })),
    };
    create.mutate(experiment, {
      onSuccess: ({ experiment_id }) => {
        onCreated(experiment_id);
        onClose();
      },
    });
  };
  return (
    <Dialog
      onClose={onClose}
      title="New experiment"
      description="It starts immediately. A user always gets the same variant."
      wide
    >
      <Form action="Start" change={create} isDisabled={total > 100} onSubmit={submit} onCancel={onClose}>
        <SettingsFields settings={settings} onChange={setSettings} scenarios={scenarios.data} />
        <fieldset className="space-y-2">
          <legend className="mb-1 font-medium">Variants</legend>
          {variants.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: variants have no other identity while they are named
            <VariantFields
              key={index}
              index={index}
              variant={one}
              models={models.data}
              versions={versions}
              shareOf={variants.length}
              needsShare={hasShares}
              onChange={(next) => change(index, next)}
              onRemove={
                variants.length > 2 && index > 0
                  ? () => setVariants(variants.filter((_, at) => at !== index))
                  : undefined
              }
            />
          ))}
          {variants.length < maxVariants && (
            <Button
              look="quiet"
              onClick={() =>
                setVariants([
                  ...variants,
                  { name: `variant ${variants.length}`, modelId: '', version: '', share: '' },
                ])
              }
            >
              <Plus aria-hidden /> Add a variant
            </Button>
          )}
        </fieldset>
        <SharesNote total={hasShares ? total : undefined} />
        {areEqual && (
          <p className="text-sm text-warn">
            Some variants are identical, so they can only differ by chance. Choose another model or version
            for one of them.
          </p>
        )}
      </Form>
    </Dialog>
  );
}

/** What is compared, and by which figure. */
function SettingsFields(props: {
  settings: Settings;
  onChange: (settings: Settings) => void;
  scenarios: ReturnType<typeof useScenarios>['data'];
}) {
  const { settings, onChange, scenarios } = props;
  const change = (next: Partial<Settings>) => onChange({ ...settings, ...next });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <NameField
        required
        autoComplete="off"
        placeholder="New model on the home page"
        value={settings.name}
        onChange={(name) => change({ name })}
      />
      <SelectField
        label="Scenario"
        value={settings.scenario}
        choices={[['default', 'Calls without a scenario'], ...(scenarios ?? []).map(({ name }) => name)]}
        onChange={(scenario) => change({ scenario })}
      />
      <SelectField
        label="Decided by"
        value={settings.metric}
        choices={labelsOf(experimentMetrics)}
        onChange={(metric) => change({ metric })}
      />
      <Field
        label="Measure each user after (hours)"
        type="number"
        step="any"
        min={0.01}
        max={168}
        required
        value={settings.hours}
        onChange={(hours) => change({ hours })}
      />
    </div>
  );
}

/** What one variant answers with, and for which share of the users. */
function VariantFields(props: {
  index: number;
  variant: Draft;
  models: ReturnType<typeof useModels>['data'];
  versions: readonly string[];
  /** How many variants share the users. */
  shareOf: number;
  needsShare: boolean;
  onChange: (next: Partial<Draft>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { index, variant, models, versions, shareOf, needsShare, onChange, onRemove } = props;
  const label = index === 0 ? 'the control' : `variant ${index}`;
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label={index === 0 ? 'Control' : `Variant ${index}`}
        className="min-w-0 flex-1 basis-40"
        required
        maxLength={200}
        value={variant.name}
        onChange={(name) => onChange({ name })}
      />
      <SelectField
        label={`Model of ${label}`}
        className="min-w-0 flex-1 basis-40"
        value={variant.modelId}
        choices={[
          ['', 'the deployed model'],
          ...(models ?? []).map(({ model_id, name }) => [model_id, name] as const),
        ]}
        onChange={(modelId) => onChange({ modelId })}
      />
      {versions.length > 1 && (
        <SelectField
          label={`Version of ${label}`}
          className="min-w-0 basis-32"
          value={variant.version}
          choices={[['', 'the current one'], ...versions]}
          onChange={(version) => onChange({ version })}
        />
      )}
      <Field
        label={`Share of ${label} (%)`}
        className="min-w-0 basis-28"
        type="number"
        step="any"
        min={0.1}
        max={100}
        required={needsShare}
        placeholder={String(Math.round(1000 / shareOf) / 10)}
        value={variant.share}
        onChange={(share) => onChange({ share })}
      />
      {onRemove && (
        <IconButton label={`Remove ${variant.name}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

/** Whether the shares, in percent, leave out users. Undefined without shares. */
function SharesNote({ total }: { total: number | undefined }) {
  return (
    <p
      className={clsx('text-sm', total !== undefined && total > 100 ? 'text-bad' : 'text-muted')}
      aria-live="polite"
    >
      {describeShares(total)}
    </p>
  );
}

function describeShares(total: number | undefined): string {
  if (total === undefined) return 'Without shares, each variant gets the same part of the users.';
  if (total > 100) return `The shares add up to ${formatNumber(total)} %: at most 100 % are possible.`;
  if (total < 100) return `${formatNumber(100 - total)} % of the users are not part of the experiment.`;
  return 'All users are part of the experiment.';
}
