/**
 * Scores with more parts than M are multiples of 2^-32. Sums of such numbers up to a million are exact, so that reasons add up
 * to the score although the score itself is computed another way.
 */
const steps = 2 ** 32;
export const toStep = (score: number) => Math.round(score * steps) / steps;
