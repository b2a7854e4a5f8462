import type { Page } from 'playwright-core';

/** A click that waits for longer is felt. */
const maxTaskMs = 100;
/** Nothing changed for so long: the page has either all its data, or waits for some of it. */
const quietMs = 700;

interface Marks {
  /** The screen's heading was painted. */
  readonly headingMs?: number;
  /** The page changed for the last time. */
  readonly changedMs: number;
  /** Tasks of more than 50 ms: start and end. */
  readonly tasks: readonly (readonly [number, number])[];
}

export interface Visit {
  /** Shell and heading of the screen are painted, and from then on no task keeps a click waiting for more than 100 ms. */
  readonly usableMs: number;
  /** All data is shown. */
  readonly completeMs: number;
}

/** Runs in the page before its own scripts. Observers cost next to nothing; polling by the browser's driver would be measured too. */
const observe = `
  const marks = { changedMs: 0, tasks: [] };
  globalThis.marks = marks;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) marks.tasks.push([startTime, startTime + duration]);
  }).observe({ type: 'longtask', buffered: true });
  let hasHeading = false;
  new MutationObserver(() => {
    marks.changedMs = performance.now();
    if (hasHeading || !document.querySelector('h1')) return;
    hasHeading = true;
    // The task after the next frame.
    requestAnimationFrame(() => setTimeout(() => { marks.headingMs = performance.now(); }));
  }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
`;

const readMarks = (page: Page) =>
  page.evaluate<Marks & { now: number }>('({ ...marks, now: performance.now() })');

/** Opens an address in a page that has loaded nothing yet. `ready` waits for what the screen shows last. */
export async function visit(page: Page, url: string, ready: (page: Page) => Promise<void>): Promise<Visit> {
  await page.addInitScript({ content: observe });
  await page.goto(url);
  for (;;) {
    await page.waitForTimeout(quietMs / 2);
    const { headingMs, changedMs, now } = await readMarks(page);
    if (headingMs !== undefined && now - changedMs > quietMs) break;
  }
  await ready(page);
  const { headingMs = 0, changedMs, tasks } = await readMarks(page);
  const blocking = tasks.filter(
    ([start, end]) => end - start > maxTaskMs && end > headingMs && start < changedMs,
  );
  const usableMs = Math.max(headingMs, ...blocking.map(([, end]) => end));
  return { usableMs, completeMs: Math.max(usableMs, changedMs) };
}
