import { Field } from '../components/field.tsx';

interface ShareFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** 0 to 0.5. */
  readonly share: number;
  readonly onChange: (share: number) => void;
  readonly className?: string;
}

/** A share of the positions of a list, in percent. */
export function ShareField({ share, onChange, ...rest }: ShareFieldProps) {
  return (
    <Field
      type="number"
      min={0}
      max={50}
      value={Math.round(share * 100)}
      onChange={(text) => onChange(Math.min(50, Math.max(0, Number(text))) / 100)}
      {...rest}
    />
  );
}
