import { type ComponentProps, useState } from 'react';
import { Combobox } from '../../components/combobox.tsx';
import { SelectField } from '../../components/field.tsx';
import type { AttributeHint } from '../../filters/attribute-hints.ts';

const suggestions = 12;

interface AttributeFieldProps extends Omit<ComponentProps<typeof SelectField>, 'onChange'> {
  readonly attributes: readonly AttributeHint[];
  readonly onChange: (name: string) => void;
}

export function AttributeField({ attributes, onChange, ...rest }: AttributeFieldProps) {
  return (
    <SelectField onChange={(event) => onChange(event.target.value)} {...rest}>
      {attributes.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

/** A value of an attribute: those of some items are suggested, others can be typed. */
export function ValueField(props: {
  label: string;
  attribute: AttributeHint | undefined;
  /** Empties the field after each choice, to choose several. */
  isAdding?: boolean;
  initial?: string;
  onChoose: (value: string) => void;
}) {
  const { label, attribute, isAdding = false, initial = '', onChoose } = props;
  const [text, setText] = useState(initial);
  const choices = (attribute?.values ?? [])
    .filter((value) => value.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, suggestions);
  return (
    <Combobox
      label={label}
      placeholder="Choose or type a value"
      text={text}
      onText={(value) => {
        setText(value);
        if (!isAdding) onChoose(value.trim());
      }}
      choices={choices.map((value) => ({ id: value, label: value }))}
      isLoading={false}
      onChoose={(value) => {
        setText(isAdding ? '' : value);
        onChoose(value);
      }}
    />
  );
}
