import type { Browser, BrowserContext, Page } from 'playwright-core';
import { median, percentile } from '../report.ts';
import { type CpuTime, measureCpuTime } from './cpu-time.ts';
import { actions, screens } from './screens.ts';
import { isDisturbed, slowDown } from './slowdown.ts';
import { type Visit, visit } from './visit.ts';

/** Visits of each screen by a browser that has cached nothing, each with a profile of its own, and by one that has cached its files. */
const visits = 5;
/** A visit that other processes disturbed is repeated, so many times at most. */
const maxRepeats = 3;
/** Visits of each screen at full speed, for the CPU time. The first one of all warms up the server, too. */
const cpuVisits = 3;

interface Read {
  readonly calls: number;
  readonly apiBytes: number;
}

export interface MeasuredScreen extends Read, CpuTime {
  readonly what: string;
  /** By a browser that has cached nothing: medians, and quartiles of `usableMs`. */
  readonly cold: Visit;
  readonly coldUsableQuartilesMs: readonly [number, number];
  /** By a browser that has cached the files. */
  readonly warm: Visit;
  readonly usableQuartilesMs: readonly [number, number];
  /** How many times slower than at full speed the page was right after a visit: quartiles of all visits. */
  readonly slowdownQuartiles: readonly [number, number];
}

export interface MeasuredAction extends Read {
  readonly what: string;
  readonly ms: number;
}

export type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Visits all screens in turns, so that what else the machine does is shared by all of them. */
export async function measureScreens(
  browser: Browser,
  state: State,
  project: string,
): Promise<MeasuredScreen[]> {
  const all = Object.entries(screens);
  const cpu = all.map((): CpuTime[] => []);
  for (let round = 0; round < cpuVisits; round++)
    for (const [index, [path]] of all.entries())
      cpu[index]?.push(
        await inContext(browser, state, async (context) =>
          measureCpuTime(browser, await context.newPage(), project + path),
        ),
      );
  const cold = all.map((): Measured[] => []);
  const warm = all.map((): Measured[] => []);
  const contexts: BrowserContext[] = [];
  for (let round = 0; round < visits; round++)
    for (const [index, [path, ready]] of all.entries()) {
      const first = await measureCold(browser, state, (context) =>
        measureVisit(context, project + path, ready),
      );
      cold[index]?.push(first.measured);
      await contexts[index]?.close();
      contexts[index] = first.context;
    }
  for (let round = 0; round < visits; round++)
    for (const [index, [path, ready]] of all.entries()) {
      const context = contexts[index];
      if (context) warm[index]?.push(await measureWarm(context, project + path, ready));
    }
  await Promise.all(contexts.map((context) => context.close()));
  return all.map(([path], index) => summarize(path, cold[index] ?? [], warm[index] ?? [], cpu[index] ?? []));
}

interface Measured extends Read {
  readonly visit: Visit;
  readonly slowdown: number;
}

/** By a browser that has cached nothing. Its context is left open, with the files that the visit cached. */
async function measureCold(
  browser: Browser,
  state: State,
  measure: (context: BrowserContext) => Promise<Measured>,
): Promise<{ context: BrowserContext; measured: Measured }> {
  for (let repeats = 0; ; repeats++) {
    const context = await browser.newContext({ storageState: state });
    const measured = await measure(context);
    if (!isDisturbed(measured.slowdown) || repeats === maxRepeats) return { context, measured };
    await context.close();
  }
}

async function measureWarm(...visited: Parameters<typeof measureVisit>): Promise<Measured> {
  for (let repeats = 0; ; repeats++) {
    const measured = await measureVisit(...visited);
    if (!isDisturbed(measured.slowdown) || repeats === maxRepeats) return measured;
  }
}

async function measureVisit(
  context: BrowserContext,
  url: string,
  ready: (page: Page) => Promise<void>,
): Promise<Measured> {
  const page = await context.newPage();
  const count = countCalls(page);
  const slowed = await slowDown(page);
  const measured = await visit(page, url, ready);
  const read = await count();
  const slowdown = await slowed.measure();
  await page.close();
  return { visit: measured, slowdown, ...read };
}

function summarize(
  path: string,
  cold: readonly Measured[],
  warm: readonly Measured[],
  cpu: readonly CpuTime[],
): MeasuredScreen {
  const slowdowns = [...cold, ...warm].map((one) => one.slowdown);
  return {
    what: path === '' ? 'overview' : path,
    cold: medianVisit(cold),
    coldUsableQuartilesMs: usableQuartiles(cold),
    warm: medianVisit(warm),
    usableQuartilesMs: usableQuartiles(warm),
    slowdownQuartiles: [percentile(slowdowns, 25), percentile(slowdowns, 75)],
    mainMs: median(cpu.map(({ mainMs }) => mainMs)),
    scriptMs: median(cpu.map(({ scriptMs }) => scriptMs)),
    calls: median(cold.map(({ calls }) => calls)),
    apiBytes: median(cold.map(({ apiBytes }) => apiBytes)),
  };
}

function medianVisit(measured: readonly Measured[]): Visit {
  const medianOf = (pick: (one: Visit) => number) => median(measured.map(({ visit: one }) => pick(one)));
  return {
    documentMs: medianOf(({ documentMs }) => documentMs),
    scriptsMs: medianOf(({ scriptsMs }) => scriptsMs),
    answerMs: medianOf(({ answerMs }) => answerMs),
    headingMs: medianOf(({ headingMs }) => headingMs),
    usableMs: medianOf(({ usableMs }) => usableMs),
    completeMs: medianOf(({ completeMs }) => completeMs),
  };
}

function usableQuartiles(measured: readonly Measured[]): [number, number] {
  const usable = measured.map(({ visit: { usableMs } }) => usableMs);
  return [percentile(usable, 25), percentile(usable, 75)];
}

export async function measureActions(browser: Browser, state: State, url: string): Promise<MeasuredAction[]> {
  const measured: MeasuredAction[] = [];
  for (const [what, act] of Object.entries(actions))
    measured.push(
      await inContext(browser, state, async (context) => {
        const page = await context.newPage();
        const count = countCalls(page);
        await slowDown(page);
        const open = async () => {
          await page.goto(url);
          await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
        };
        await open();
        // The first search loads the copy of the items.
        await act(page);
        await open();
        await count();
        const startedAt = performance.now();
        await act(page);
        const ms = performance.now() - startedAt;
        return { what, ms, ...(await count()) };
      }),
    );
  return measured;
}

async function inContext<T>(
  browser: Browser,
  state: State,
  run: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ storageState: state });
  try {
    return await run(context);
  } finally {
    await context.close();
  }
}

/** Counts what the page reads of the API, since the last time it was asked. */
function countCalls(page: Page): () => Promise<Read> {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const isFile =
      /\/assets\/|\.svg$/.test(response.url()) || response.request().resourceType() === 'document';
    if (!isFile)
      sizes.push(
        response.body().then(
          ({ length }) => length,
          () => 0,
        ),
      );
  });
  return async () => {
    const bytes = await Promise.all(sizes.splice(0));
    return { calls: bytes.length, apiBytes: bytes.reduce((sum, one) => sum + one, 0) };
  };
}
