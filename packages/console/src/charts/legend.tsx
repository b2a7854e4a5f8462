interface LegendProps {
  readonly series: readonly { readonly name: string; readonly color: string }[];
}

/** Which colour of a chart is what. */
export function Legend({ series }: LegendProps) {
  return (
    <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {series.map(({ name, color }) => (
        <li key={name} className="flex min-w-0 items-center gap-1.5">
          <span
            aria-hidden
            className="size-3 shrink-0 rounded-sm border border-line-strong"
            style={{ background: color }}
          />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}
