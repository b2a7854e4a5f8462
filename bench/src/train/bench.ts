import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireData } from '../quality/data.ts';
import type { Goal, Report } from '../report.ts';

interface Run {
  readonly events: number;
  readonly users: number;
  readonly items: number;
  readonly k: number;
  readonly seconds: number;
  /** Of all threads: what a busy machine does not change much. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly modelBytes: number;
  readonly stages: Record<string, number>;
}

type How = 'fit' | 'search';

const mebibyte = 2 ** 20;
/** What a training may take: so much an event, and Node itself with its fixed costs. */
const bytesPerEvent = 200;
const fixedBytes = 2 * 2 ** 30;
/** Two threads, a machine that does nothing else. */
const gowallaSeconds = 4;
const fitsPerSearch = 10;
/** A little more than linear: beyond the caches a read costs more. A quick run is short enough for noise to matter. */
const growth = { thorough: 1.1, quick: 1.4 };

const real = ['gowalla', 'yelp2018', 'amazon-cds', 'ml-1m-lcfn'];
const made = ['1000000', '3000000', '10000000', '30000000'];
const madeQuick = ['300000', '1000000'];
const isMade = (data: string) => /^\d+$/.test(data);

/**
 * How long a training takes and how much memory, on the published splits and on made data that grows. Parts: names of
 * data sets, or numbers of events.
 */
export async function benchTrain(quick: boolean, parts: readonly string[]): Promise<Report> {
  const chosen = parts.length > 0 ? parts : quick ? madeQuick : [...real, ...made];
  requireData(chosen.filter((data) => !isMade(data)));
  const rows: Record<string, string | number>[] = [];
  const goals: Goal[] = [];
  const figures: Record<string, Run> = {};
  const measure = async (data: string, how: How, threads: number, k: number) => {
    const run = await train(data, how, threads, k);
    console.error(`train: ${data}, ${how}, ${threads} threads: ${run.seconds.toFixed(1)} s`);
    rows.push({
      ...{ data, events: run.events, users: run.users, items: run.items, K: run.k },
      ...{ how: how === 'search' ? 'search and fit' : 'fit', threads, seconds: run.seconds },
      'cpu s': run.cpuSeconds,
      'peak MiB': Math.round(run.peakBytes / mebibyte),
      'model MiB': Math.round(run.modelBytes / mebibyte),
    });
    figures[`${data} ${how} ${threads}`] = run;
    return run;
  };
  for (const data of chosen.filter((name) => !isMade(name))) {
    await measure(data, 'fit', 1, 200);
    const fit = await measure(data, 'fit', 2, 200);
    await measure(data, 'search', 1, 200);
    const search = await measure(data, 'search', 2, 200);
    if (data === 'gowalla')
      goals.push({
        text: `${data}: fit on two threads in ${fit.seconds.toFixed(1)} s (goal ${gowallaSeconds})`,
        reached: fit.seconds <= gowallaSeconds,
      });
    goals.push({
      text: `${data}: search and fit take as long as ${(search.seconds / fit.seconds).toFixed(1)} fits (goal ${fitsPerSearch})`,
      reached: search.seconds <= fitsPerSearch * fit.seconds,
    });
  }
  const grown: Run[] = [];
  for (const data of chosen.filter(isMade)) {
    // The same K for all sizes, or growth would be hidden by K shrinking.
    const run = await measure(data, 'fit', 2, 100);
    grown.push(run);
    const most = bytesPerEvent * run.events + fixedBytes;
    goals.push({
      text: `${data} events: ${mebibytes(run.peakBytes)} at the peak (goal ${mebibytes(most)})`,
      reached: run.peakBytes <= most,
    });
  }
  goals.push(...growthGoals(grown, quick ? growth.quick : growth.thorough));
  return { bench: 'train', tables: [{ title: 'Training', rows }], goals, figures };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte).toLocaleString('en')} MiB`;

function growthGoals(runs: readonly Run[], most: number): Goal[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return [];
  const exponent = Math.log(last.seconds / first.seconds) / Math.log(last.events / first.events);
  return [
    {
      text: `time grows as events^${exponent.toFixed(2)} from ${first.events.toLocaleString('en')} to ${last.events.toLocaleString('en')} (goal ${most})`,
      reached: exponent <= most,
    },
  ];
}

async function train(data: string, how: How, threads: number, k: number): Promise<Run> {
  const child = fileURLToPath(new URL('./child.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, data, `${threads}`, how, `${k}`]);
  return JSON.parse(stdout) as Run;
}
