import { expect, test } from 'vitest';
import { useConsole } from './open-console.ts';

const { openScreen } = useConsole();

/** Generous, because tests share their machine: `npm run bench -- console` has the exact figures. */
const limitMs = 30_000;

test('screens can be used soon on a machine with a quarter of the speed', async () => {
  const page = await openScreen('/operations');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(page.url().replace('/operations', '/playground?user=anna'));
  const reason = page.getByRole('list', { name: 'Reasons' }).first().getByRole('button').first();
  await reason.waitFor();
  // It reacts, and is not only painted.
  await page.getByRole('button', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add a boost' }).waitFor();
  const sinceStartMs = await page.evaluate(() => performance.now());
  expect(sinceStartMs).toBeLessThan(limitMs);
});
