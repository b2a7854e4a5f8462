import { ListFilter, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Field, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useProject } from '../../use/projects.ts';
import { ModelField } from './model-field.tsx';
import { type Choices, NewAnalysis } from './new-analysis.tsx';
import { useSubmitQuerying } from './use-analyses.ts';
import { parseValue } from './use-attributes.ts';
import { ValueField } from './value-field.tsx';

/** A condition as it is typed; the bounds are percentages. */
interface Condition {
  readonly attribute: string;
  readonly value: string;
  readonly from: string;
  readonly to: string;
}

interface NewListProps {
  readonly start?: Condition;
  readonly modelId?: string | undefined;
  readonly label?: string;
}

/** A button with a form that lists the users who meet conditions. */
export function NewList({ start, modelId, label = 'List users' }: NewListProps) {
  return (
    <NewAnalysis
      operation="submitQueryingJob"
      icon={<ListFilter aria-hidden />}
      label={label}
      title="List users"
      description="Lists the users who meet all conditions, with their affinities, as a file to download."
      wide
    >
      {(choices, onDone) => <NewForm {...choices} start={start} modelId={modelId} onDone={onDone} />}
    </NewAnalysis>
  );
}

const maxConditions = 20;

interface FormProps extends Choices {
  readonly start: Condition | undefined;
  readonly modelId: string | undefined;
  readonly onDone: () => void;
}

function NewForm({ models, attributes, start, modelId, onDone }: FormProps) {
  const { project_id } = useProject();
  const submit = useSubmitQuerying();
  const empty = (): Condition => ({ attribute: attributes[0]?.name ?? '', value: '', from: '30', to: '100' });
  const [conditions, setConditions] = useState<readonly Condition[]>(() => [start ?? empty()]);
  const [chosenModel, setModelId] = useState(modelId);
  const [name, setName] = useState<string>();
  const model_id = models.find((one) => one.model_id === chosenModel)?.model_id ?? models[0].model_id;
  const suggested = `Users who like ${conditions.map(({ value }) => value || '…').join(' and ')}`;
  const change = (index: number, part: Partial<Condition>) =>
    setConditions(conditions.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const attributeOf = ({ attribute }: Condition) =>
    attributes.find((one) => one.name === attribute) ?? attributes[0];
  const onSubmit = () => {
    const sent = conditions.map((condition) => ({
      attribute: attributeOf(condition)?.name ?? condition.attribute,
      value: parseValue(condition.value, attributeOf(condition)),
      lower_bound: Number(condition.from) / 100,
      upper_bound: Number(condition.to) / 100,
    }));
    submit.mutate(
      {
        name: (name ?? suggested).slice(0, 200),
        project_id,
        model_id,
        query_type: 'user_list',
        queries: [{ conditions: sent }],
        table_format: 'CSV',
      },
      { onSuccess: onDone },
    );
  };
  return (
    <Form
      action="Start"
      change={submit}
      isDisabled={conditions.some(({ value }) => value === '')}
      onSubmit={onSubmit}
    >
      <NameField value={name ?? suggested} required onChange={setName} />
      <ModelField models={models} value={model_id} onChange={setModelId} />
      <fieldset className="space-y-3">
        <legend className="mb-1 font-medium">Conditions</legend>
        {conditions.map((condition, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no other identity
            key={index}
            className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 sm:grid-cols-[1fr_1.4fr_5rem_5rem_auto]"
          >
            <SelectField
              label="Attribute"
              choices={attributes.map((one) => one.name)}
              value={attributeOf(condition)?.name ?? ''}
              onChange={(attribute) => change(index, { attribute, value: '' })}
            />
            <div>
              <p className="mb-1 font-medium" aria-hidden>
                Value
              </p>
              <ValueField
                key={condition.attribute}
                label="Value"
                attribute={attributeOf(condition)}
                initial={condition.value}
                onChoose={(value) => change(index, { value })}
              />
            </div>
            <Bound label="From (%)" value={condition.from} onChange={(from) => change(index, { from })} />
            <Bound label="To (%)" value={condition.to} onChange={(to) => change(index, { to })} />
            <IconButton
              label="Remove the condition"
              disabled={conditions.length === 1}
              onClick={() => setConditions(conditions.filter((_, at) => at !== index))}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </div>
        ))}
        {conditions.length < maxConditions && (
          <Button look="quiet" onClick={() => setConditions([...conditions, empty()])}>
            <Plus aria-hidden /> And another condition
          </Button>
        )}
      </fieldset>
    </Form>
  );
}

function Bound(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  return (
    <Field
      label={label}
      type="number"
      min={0}
      max={100}
      step="any"
      required
      value={value}
      onChange={onChange}
    />
  );
}
