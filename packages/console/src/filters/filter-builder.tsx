import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Input, Select, SelectField } from '../components/field.tsx';
import type { AttributeHint } from './attribute-hints.ts';
import { type Condition, fromCel, type Join, operators, operatorsFor, toCel } from './conditions.ts';

interface FilterBuilderProps {
  readonly label: string;
  readonly value: string;
  readonly hints: readonly AttributeHint[];
  readonly onUse: (expression: string) => void;
  readonly onClose: () => void;
}

/** Writes a filter from conditions, for those who do not write CEL. */
export function FilterBuilder({ label, value, hints, onUse, onClose }: FilterBuilderProps) {
  const [first] = useState(() => fromCel(value, hints));
  const [conditions, setConditions] = useState<readonly Condition[]>(() =>
    first && first.conditions.length > 0 ? first.conditions : [emptyCondition(hints)],
  );
  const [join, setJoin] = useState<Join>(first?.join ?? 'all');
  const kinds = new Map(hints.map(({ name, kind }) => [name, kind]));
  const expression = toCel(conditions, join, kinds);
  const set = (index: number, next: Partial<Condition>) =>
    setConditions(conditions.map((one, at) => (at === index ? { ...one, ...next } : one)));
  return (
    <Dialog
      wide
      onClose={onClose}
      title={label}
      description="Choose conditions on the attributes of items. They are written as an expression, which you can edit further."
    >
      <div className="space-y-3">
        {!first && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
            The present expression cannot be shown as conditions. What you choose here replaces it.
          </p>
        )}
        <SelectField
          label="Items must match"
          className="max-w-48"
          value={join}
          choices={{ all: 'all conditions', any: 'any condition' }}
          onChange={setJoin}
        />
        {conditions.map((condition, index) => (
          <ConditionFields
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no other identity
            key={index}
            number={index + 1}
            condition={condition}
            hints={hints}
            onChange={(next) => set(index, next)}
            onRemove={() => setConditions(conditions.filter((_, at) => at !== index))}
          />
        ))}
        <Button look="quiet" onClick={() => setConditions([...conditions, emptyCondition(hints)])}>
          <Plus aria-hidden /> Add a condition
        </Button>
        <p className="rounded-md bg-sunken px-3 py-2 font-mono text-sm break-words">
          {expression === '' ? 'No condition is complete yet.' : expression}
        </p>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={expression === ''} onClick={() => onUse(expression)}>
            Use these conditions
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function emptyCondition(hints: readonly AttributeHint[]): Condition {
  const [first] = hints;
  return {
    attribute: first?.name ?? '',
    operator: operatorsFor(first?.kind ?? 'text')[0] ?? 'is',
    value: '',
  };
}

interface ConditionFieldsProps {
  readonly number: number;
  readonly condition: Condition;
  readonly hints: readonly AttributeHint[];
  readonly onChange: (next: Partial<Condition>) => void;
  readonly onRemove: () => void;
}

function ConditionFields({ number, condition, hints, onChange, onRemove }: ConditionFieldsProps) {
  const values = useId();
  const { attribute, operator, value } = condition;
  const hint = hints.find(({ name }) => name === attribute);
  const possible = operatorsFor(hint?.kind ?? 'text');
  const chooseAttribute = (name: string) => {
    const kind = hints.find((one) => one.name === name)?.kind ?? 'text';
    const fitting = operatorsFor(kind);
    onChange({ attribute: name, operator: fitting.includes(operator) ? operator : (fitting[0] ?? 'is') });
  };
  return (
    <div role="group" aria-label={`Condition ${number}`} className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Attribute"
        className="min-w-28 flex-1"
        value={attribute}
        choices={hints.map(({ name }) => name)}
        onChange={chooseAttribute}
      />
      <Select
        aria-label="Operator"
        className="min-w-28 flex-1"
        value={operator}
        choices={possible.map((name) => [name, operators[name].label] as const)}
        onChange={(chosen) => onChange({ operator: chosen })}
      />
      {operators[operator].hasValue && (
        <>
          <Input
            aria-label="Value"
            className="min-w-28 flex-2"
            list={values}
            inputMode={hint?.kind === 'number' ? 'decimal' : undefined}
            value={value}
            onChange={(value) => onChange({ value })}
          />
          <datalist id={values}>
            {hint?.values.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      )}
      <IconButton label={`Remove condition ${number}`} onClick={onRemove}>
        <Trash2 aria-hidden />
      </IconButton>
    </div>
  );
}
