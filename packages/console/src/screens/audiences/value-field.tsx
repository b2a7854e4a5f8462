import { useState } from 'react';
import { Combobox } from '../../components/combobox.tsx';
import type { AttributeHint } from '../../filters/attribute-hints.ts';

const suggestions = 12;

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
