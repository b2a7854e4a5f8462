/** The length of slices, up to this age. */
const steps = [
  { hours: 1, upTo: 48 },
  { hours: 6, upTo: 14 * 24 },
  { hours: 24, upTo: 90 * 24 },
];

/** The past 90 days in slices, in hours of age. The newest are shortest: only a short window depends on an hour. */
export const sliceEnds: readonly number[] = steps.flatMap(({ hours, upTo }, step) => {
  const from = steps[step - 1]?.upTo ?? 0;
  return Array.from({ length: (upTo - from) / hours }, (_, place) => from + (place + 1) * hours);
});

/** The age at which a slice begins. */
export const sliceStart = (slice: number): number => sliceEnds[slice - 1] ?? 0;

/** The slice of an age in hours. */
export function sliceOf(ageHours: number): number | undefined {
  if (ageHours < 0) return undefined;
  const slice = sliceEnds.findIndex((end) => ageHours < end);
  return slice === -1 ? undefined : slice;
}
