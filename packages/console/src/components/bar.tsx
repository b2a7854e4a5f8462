import clsx from 'clsx';

interface BarProps {
  readonly role: 'meter' | 'progressbar';
  readonly label: string;
  readonly value: number;
  readonly max: number;
}

/** Percent of a meter. */
const nearlyFull = 90;

/** How much of something there is, or is done. A meter that is nearly full stands out. */
export function Bar({ role, label, value, max }: BarProps) {
  const percent = max === 0 ? 0 : Math.min(100, (value / max) * 100);
  const isFull = role === 'meter' && percent > nearlyFull;
  return (
    <div
      role={role}
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      className="h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={clsx('h-full rounded-full', isFull ? 'bg-highlight-line' : 'bg-accent')}
        style={{ width: `${percent}%` }}
      />
    </div>
  );
}
