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
      choices={offered.map((range) => [range, ranges[range].label] as const)}
      onChange={onChange}
    />
  );
}
