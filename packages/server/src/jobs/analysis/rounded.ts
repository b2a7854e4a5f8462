/** As results have shares: finer than anything that was measured. */
export const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
