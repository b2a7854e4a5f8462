import { ChartColumn, X } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, NameField, SelectField } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useMay } from '../../session/access.tsx';
import { useProject } from '../../use/projects.ts';
import { type Choices, FormData } from './form-data.tsx';
import { ModelField } from './model-field.tsx';
import { useSubmitQuerying } from './use-analyses.ts';
import { parseValue } from './use-attributes.ts';
import { ValueField } from './value-field.tsx';

/** A button with a form that asks how affinity is distributed over the users. */
export function NewDistribution() {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('submitQueryingJob')) return null;
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <ChartColumn aria-hidden /> Measure affinity
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Measure affinity"
        description="Shows how many users prefer a value of an item attribute, and how much."
      >
        <FormData>{(choices) => <Form {...choices} onDone={() => setOpen(false)} />}</FormData>
      </Dialog>
    </>
  );
}

const maxValues = 20;
const maxBins = 1000;

function Form({ models, attributes, onDone }: Choices & { readonly onDone: () => void }) {
  const { project_id } = useProject();
  const submit = useSubmitQuerying();
  const [modelId, setModelId] = useState<string>();
  const [attributeName, setAttributeName] = useState<string>();
  const [values, setValues] = useState<readonly string[]>([]);
  const [bins, setBins] = useState('20');
  const [name, setName] = useState<string>();
  const model_id = modelId ?? models[0].model_id;
  const attribute = attributes.find((one) => one.name === attributeName) ?? attributes[0];
  const suggested = `Affinity for ${values.length === 0 ? (attribute?.name ?? '') : values.join(', ')}`;
  const jobName = (name ?? suggested).slice(0, 200);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!attribute || values.length === 0) return;
    const queries = values.map((value) => ({
      attribute: attribute.name,
      value: parseValue(value, attribute),
      bins: Number(bins),
    }));
    submit.mutate(
      { name: jobName, project_id, model_id, query_type: 'user_distribution', queries },
      { onSuccess: onDone },
    );
  };
  return (
    <form onSubmit={onSubmit} className="space-y-4">
      <ModelField models={models} value={model_id} onChange={setModelId} />
      <SelectField
        label="Item attribute"
        required
        value={attribute?.name ?? ''}
        onChange={(event) => {
          setAttributeName(event.target.value);
          setValues([]);
        }}
      >
        {attributes.map((one) => (
          <option key={one.name} value={one.name}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <div>
        <p className="mb-1 font-medium">Values</p>
        <ul className="mb-2 flex flex-wrap gap-1.5 empty:hidden">
          {values.map((value) => (
            <li key={value}>
              <button
                type="button"
                aria-label={`Remove ${value}`}
                onClick={() => setValues(values.filter((one) => one !== value))}
                className="inline-flex max-w-60 items-center gap-1 rounded-full bg-accent-soft px-2.5 py-1 text-sm text-accent-text"
              >
                <span className="truncate">{value}</span> <X className="size-3.5 shrink-0" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
        <ValueField
          key={attribute?.name}
          label="Add a value"
          attribute={attribute}
          isAdding
          onChoose={(value) => setValues([...new Set([...values, value])].slice(0, maxValues))}
        />
      </div>
      <div className="grid grid-cols-[1fr_7rem] gap-3">
        <NameField value={name ?? suggested} required onChange={setName} />
        <Field
          label="Bins"
          type="number"
          min={1}
          max={maxBins}
          required
          value={bins}
          onChange={(event) => setBins(event.target.value)}
        />
      </div>
      {submit.error && <ErrorState error={submit.error} />}
      <div className="flex justify-end">
        <Button type="submit" look="primary" disabled={submit.isPending || values.length === 0}>
          Start
        </Button>
      </div>
    </form>
  );
}
