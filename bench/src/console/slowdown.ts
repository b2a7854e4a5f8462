import type { CDPSession, Page } from 'playwright-core';
import { median } from '../report.ts';

/** How many times slower than this machine the measured one is. */
export const cpuSlowdown = 4;

/** The slowdown may differ by this share when the throttle is set: Chrome's is not more exact. */
const tolerance = 0.05;
/** If it differs by more than this after a visit, other processes disturbed the visit. */
const disturbedTolerance = 0.2;
/** Settings of the throttle to try before accepting the last one. */
const maxAttempts = 5;
/** Until V8 has optimized the work, one run takes up to twice as long. */
const warmUps = 5;
const fullSpeedRuns = 15;
const slowRuns = 7;

/** A fixed piece of work, about 15 ms at full speed. */
const work = `(() => {
  const start = performance.now();
  let sum = 0;
  for (let n = 1; n < 4_000_000; n++) sum = (sum + n * 31) % 65_537;
  return sum < 0 ? 0 : performance.now() - start;
})()`;

const timesOf = async (page: Page, count: number) => {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push(await page.evaluate<number>(work));
  return times;
};

export interface SlowedPage {
  /** How many times slower than at full speed the page is now. Other processes of the machine count, too. */
  readonly measure: () => Promise<number>;
}

/**
 * Slows a page down, as measured on the page itself: Chrome's throttle stops its main thread for a share of the time, and processes that
 * compete with it for this machine's cores slow it down further. The throttle is set so that both together are `cpuSlowdown`.
 */
export async function slowDown(page: Page): Promise<SlowedPage> {
  await timesOf(page, warmUps);
  // The best, because other processes only make it longer.
  const fullSpeedMs = Math.min(...(await timesOf(page, fullSpeedRuns)));
  const session = await page.context().newCDPSession(page);
  const measure = async () => median(await timesOf(page, slowRuns)) / fullSpeedMs;
  let rate: number = cpuSlowdown;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await setRate(session, rate);
    const slowdown = await measure();
    if (Math.abs(slowdown / cpuSlowdown - 1) <= tolerance) break;
    rate = Math.min(2 * cpuSlowdown, Math.max(1, (rate * cpuSlowdown) / slowdown));
  }
  return { measure };
}

export const isDisturbed = (slowdown: number) => Math.abs(slowdown / cpuSlowdown - 1) > disturbedTolerance;

const setRate = (session: CDPSession, rate: number) =>
  session.send('Emulation.setCPUThrottlingRate', { rate });
