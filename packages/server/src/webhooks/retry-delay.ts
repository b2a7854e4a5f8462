/** The pause after the first failed attempt; each further one is three times as long, up to two hours. */
const firstSeconds = 5;
const factor = 3;
const maxSeconds = 2 * 3600;
/** So that receivers that come back are not met by all messages at once. */
const jitter = 0.2;

/** Seconds until the next attempt, after `attempts` that failed. */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const seconds = Math.min(maxSeconds, firstSeconds * factor ** Math.max(0, attempts - 1));
  return seconds * (1 - jitter + 2 * jitter * random());
}
