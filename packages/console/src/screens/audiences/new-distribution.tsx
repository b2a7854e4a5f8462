import { ChartColumn, X } from 'lucide-react';
import { useState } from 'react';
import { Field, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useProject } from '../../use/projects.ts';
import { ModelField } from './model-field.tsx';
import { type Choices, NewAnalysis } from './new-analysis.tsx';
import { useSubmitQuerying } from './use-analyses.ts';
import { parseValue } from './use-attributes.ts';
import { ValueField } from './value-field.tsx';

/** A button with a form that asks how affinity is distributed over the users. */
export function NewDistribution() {
  return (
    <NewAnalysis
      operation="submitQueryingJob"
      icon={<ChartColumn aria-hidden />}
      label="Measure affinity"
      title="Measure affinity"
      description="Shows how many users prefer a value of an item attribute, and how much."
    >
      {(choices, onDone) => <NewForm {...choices} onDone={onDone} />}
    </NewAnalysis>
  );
}

const maxValues = 20;
const maxBins = 1000;

function NewForm({ models, attributes, onDone }: Choices & { readonly onDone: () => void }) {
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
  const onSubmit = () => {
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
    <Form action="Start" change={submit} isDisabled={values.length === 0} onSubmit={onSubmit}>
      <ModelField models={models} value={model_id} onChange={setModelId} />
      <SelectField
        label="Item attribute"
        required
        choices={attributes.map((one) => one.name)}
        value={attribute?.name ?? ''}
        onChange={(chosen) => {
          setAttributeName(chosen);
          setValues([]);
        }}
      />
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
        <Field label="Bins" type="number" min={1} max={maxBins} required value={bins} onChange={setBins} />
      </div>
    </Form>
  );
}
