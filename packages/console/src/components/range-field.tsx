import { type Range, ranges } from '../use/statistics.ts';
import { SelectField } from './field.tsx';

export function RangeField(props: {
  value: Range;
  offered?: readonly Range[];
  onChange: (range: Range) => void;
}) {
  const { value, offered = ['day', 'month', 'quarter'], onChange } = props;
  return (
    <SelectField
      label="Time range"
      hideLabel
      value={value}
      onChange={(event) => onChange(event.target.value as Range)}
    >
      {offered.map((range) => (
        <option key={range} value={range}>
          {ranges[range].label}
        </option>
      ))}
    </SelectField>
  );
}
