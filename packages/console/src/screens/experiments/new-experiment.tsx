import clsx from 'clsx';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { formatNumber } from '../../format.ts';
import { type ExperimentMetric, experimentMetrics, useCreateExperiment } from '../../use/experiments.ts';
import { useModels } from '../../use/models.ts';
import { keptVersions, useScenarios } from '../../use/scenarios.ts';

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
  const [name, setName] = useState('');
  const [scenario, setScenario] = useState('default');
  const [metric, setMetric] = useState<ExperimentMetric>('CONVERTED');
  const [hours, setHours] = useState('24');
  const [variants, setVariants] = useState<readonly Draft[]>([
    { name: 'control', modelId: '', version: '', share: '' },
    { name: 'new model', modelId: '', version: '', share: '' },
  ]);
  const newest = scenarios.data?.find((one) => one.name === scenario)?.version ?? 0;
  const versions = Array.from({ length: Math.min(newest, keptVersions) }, (_, index) =>
    String(newest - index),
  );
  const change = (index: number, next: Partial<Draft>) =>
    setVariants(variants.map((one, at) => (at === index ? { ...one, ...next } : one)));
  const settings = variants.map(({ modelId, version }) => `${modelId} ${version}`);
  const areEqual = new Set(settings).size < settings.length;
  const hasShares = variants.some(({ share }) => share !== '');
  const total = variants.reduce((sum, { share }) => sum + Number(share), 0);
  const submit = () => {
    const experiment = {
      name,
      scenario,
      metric,
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
        <div className="grid gap-3 sm:grid-cols-2">
          <NameField
            required
            autoComplete="off"
            placeholder="New model on the home page"
            value={name}
            onChange={setName}
          />
          <SelectField
            label="Scenario"
            value={scenario}
            onChange={(event) => setScenario(event.target.value)}
          >
            <option value="default">Calls without a scenario</option>
            {scenarios.data?.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Decided by"
            value={metric}
            onChange={(event) => setMetric(event.target.value as ExperimentMetric)}
          >
            {Object.entries(experimentMetrics).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <Field
            label="Measure each user after (hours)"
            type="number"
            step="any"
            min={0.01}
            max={168}
            required
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
        </div>
        <fieldset className="space-y-2">
          <legend className="mb-1 font-medium">Variants</legend>
          {variants.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: variants have no other identity while they are named
            <div key={index} className="flex flex-wrap items-end gap-2">
              <Field
                label={index === 0 ? 'Control' : `Variant ${index}`}
                className="min-w-0 flex-1 basis-40"
                required
                maxLength={200}
                value={one.name}
                onChange={(event) => change(index, { name: event.target.value })}
              />
              <SelectField
                label={`Model of ${index === 0 ? 'the control' : `variant ${index}`}`}
                className="min-w-0 flex-1 basis-40"
                value={one.modelId}
                onChange={(event) => change(index, { modelId: event.target.value })}
              >
                <option value="">the deployed model</option>
                {models.data?.map(({ model_id, name: model }) => (
                  <option key={model_id} value={model_id}>
                    {model}
                  </option>
                ))}
              </SelectField>
              {versions.length > 1 && (
                <SelectField
                  label={`Version of ${index === 0 ? 'the control' : `variant ${index}`}`}
                  className="min-w-0 basis-32"
                  value={one.version}
                  onChange={(event) => change(index, { version: event.target.value })}
                >
                  <option value="">the current one</option>
                  {versions.map((version) => (
                    <option key={version} value={version}>
                      {version}
                    </option>
                  ))}
                </SelectField>
              )}
              <Field
                label={`Share of ${index === 0 ? 'the control' : `variant ${index}`} (%)`}
                className="min-w-0 basis-28"
                type="number"
                step="any"
                min={0.1}
                max={100}
                required={hasShares}
                placeholder={String(Math.round(1000 / variants.length) / 10)}
                value={one.share}
                onChange={(event) => change(index, { share: event.target.value })}
              />
              {variants.length > 2 && index > 0 && (
                <IconButton
                  label={`Remove ${one.name}`}
                  onClick={() => setVariants(variants.filter((_, at) => at !== index))}
                >
                  <Trash2 aria-hidden />
                </IconButton>
              )}
            </div>
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
        <p className={clsx('text-sm', total > 100 ? 'text-bad' : 'text-muted')} aria-live="polite">
          {!hasShares && 'Without shares, each variant gets the same part of the users.'}
          {hasShares &&
            total > 100 &&
            `The shares add up to ${formatNumber(total)} %: at most 100 % are possible.`}
          {hasShares &&
            total < 100 &&
            `${formatNumber(100 - total)} % of the users are not part of the experiment.`}
          {hasShares && total === 100 && 'All users are part of the experiment.'}
        </p>
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
