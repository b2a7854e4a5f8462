import type { Browser, Page } from 'playwright-core';
import { observe, waitUntilQuiet } from './visit.ts';

/** CPU time of the page's main thread until the heading is painted. Other processes of the machine hardly change it. */
export interface CpuTime {
  readonly mainMs: number;
  /** Of it, evaluating and running scripts. */
  readonly scriptMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: start and length by the clock, and length by the thread's CPU time. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const scriptEvents = new Set(['v8.evaluateModule', 'FunctionCall', 'RunMicrotasks', 'v8.run']);

/** Visits a screen at full speed, with Chrome's own trace. */
export async function measureCpuTime(browser: Browser, page: Page, url: string): Promise<CpuTime> {
  await page.addInitScript({ content: observe });
  const categories = ['toplevel', 'devtools.timeline', 'v8', 'blink.user_timing'];
  await browser.startTracing(page, { categories });
  await page.goto(url);
  await waitUntilQuiet(page);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  return cpuTimeIn(trace.traceEvents);
}

function cpuTimeIn(events: readonly TraceEvent[]): CpuTime {
  const heading = events.find(({ name }) => name === 'heading');
  if (!heading) throw new Error('The trace has no heading.');
  const inMain = events.filter(
    ({ ph, pid, tid, ts, tdur }) =>
      ph === 'X' && pid === heading.pid && tid === heading.tid && ts < heading.ts && tdur !== undefined,
  );
  const sum = (list: readonly TraceEvent[]) =>
    outermost(list).reduce((total, { tdur = 0 }) => total + tdur, 0) / 1000;
  return { mainMs: sum(inMain), scriptMs: sum(inMain.filter(({ name }) => scriptEvents.has(name))) };
}

/** Without the events that are inside of others. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  let endUs = Number.NEGATIVE_INFINITY;
  return events
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < endUs) return false;
      endUs = ts + dur;
      return true;
    });
}
