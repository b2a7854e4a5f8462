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

/** Milestones of a visit, in the order in which they are reached, in ms after its start. */
export interface Visit {
  /** The page itself has arrived. */
  readonly documentMs: number;
  /** The last script that the screen's heading needs has arrived. */
  readonly scriptsMs: number;
  /** The first answer of the API after the session has arrived. */
  readonly answerMs: number;
  /** Shell and heading of the screen are painted. */
  readonly headingMs: number;
  /** From then on no task keeps a click waiting for more than 100 ms. */
  readonly usableMs: number;
  /** All data is shown. */
  readonly completeMs: number;
}

/** Runs in the page before its own scripts. Observers cost next to nothing; polling by the browser's driver would be measured too. */
export const observe = `
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
    requestAnimationFrame(() => setTimeout(() => {
      performance.mark('heading');
      marks.headingMs = performance.now();
    }));
  }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
`;

const readMarks = (page: Page) =>
  page.evaluate<Marks & { now: number }>('({ ...marks, now: performance.now() })');

interface Loaded {
  readonly documentMs: number;
  readonly files: readonly { readonly path: string; readonly endMs: number }[];
}

const readLoaded = (page: Page) =>
  page.evaluate<Loaded>(`({
    documentMs: performance.getEntriesByType('navigation')[0].responseEnd,
    files: performance.getEntriesByType('resource')
      .map(({ name, responseEnd }) => ({ path: new URL(name).pathname, endMs: responseEnd })),
  })`);

/** Opens an address in a page that has shown nothing yet. `ready` waits for what the screen shows last. */
export async function visit(page: Page, url: string, ready: (page: Page) => Promise<void>): Promise<Visit> {
  await page.addInitScript({ content: observe });
  await page.goto(url);
  await waitUntilQuiet(page);
  await ready(page);
  const { headingMs = 0, changedMs, tasks } = await readMarks(page);
  const blocking = tasks.filter(
    ([start, end]) => end - start > maxTaskMs && end > headingMs && start < changedMs,
  );
  const usableMs = Math.max(headingMs, ...blocking.map(([, end]) => end));
  const { documentMs, files } = await readLoaded(page);
  const ends = (isWanted: (path: string) => boolean) =>
    files.filter(({ path }) => isWanted(path)).map(({ endMs }) => endMs);
  return {
    documentMs,
    scriptsMs: Math.max(...ends((path) => path.endsWith('.js')).filter((endMs) => endMs < headingMs)),
    answerMs: Math.min(...ends((path) => /^\/(get|list|check|find)-/.test(path))),
    headingMs,
    usableMs,
    completeMs: Math.max(usableMs, changedMs),
  };
}

export async function waitUntilQuiet(page: Page): Promise<void> {
  for (;;) {
    await page.waitForTimeout(quietMs / 2);
    const { headingMs, changedMs, now } = await readMarks(page);
    if (headingMs !== undefined && now - changedMs > quietMs) return;
  }
}
