import type { BrowserContext, Page } from 'playwright-core';

/** Chrome's throttle stops the page's main thread for three quarters of the time. Its other threads and the server keep their speed. */
export const cpuSlowdown = 4;

/** A fixed piece of work, about 20 ms at full speed. */
const work = `(() => {
  const start = performance.now();
  let sum = 0;
  for (let n = 1; n < 8_000_000; n++) sum = (sum + n * 31) % 65_537;
  return sum < 0 ? 0 : performance.now() - start;
})()`;

const timeOf = async (page: Page, count: number) => {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push(await page.evaluate<number>(work));
  return Math.min(...times);
};

/** The time of the work at full speed: the best of many, because other processes only make it longer. */
export async function measureFullSpeed(context: BrowserContext): Promise<number> {
  const page = await context.newPage();
  const ms = await timeOf(page, 30);
  await page.close();
  return ms;
}

/**
 * Throttles the page. Returns how many times slower it is in fact: more than the throttle makes it if other processes of the machine
 * compete with it.
 */
export async function slowDown(page: Page, fullSpeedMs: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return (await timeOf(page, 1)) / fullSpeedMs;
}
