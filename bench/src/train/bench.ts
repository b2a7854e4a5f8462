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
  /** Over all threads. Varies less than `seconds` on a busy machine. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly modelBytes: number;
  readonly stages: Record<string, number>;
}

type Mode = 'fit' | 'search';

const mebibyte = 2 ** 20;
/** The memory goal: a part per event and a fixed part, which includes Node itself. */
const bytesPerEvent = 200;
const fixedBytes = 2 * 2 ** 30;
/** With two threads on an otherwise idle machine. */
const gowallaSeconds = 4;
const fitsPerSearch = 10;
/** The exponent, slightly above linear because reads beyond the caches cost more. A quick run is short, hence noisy. */
const growth = { full: 1.1, quick: 1.4 };

const published = ['gowalla', 'yelp2018', 'amazon-cds', 'ml-1m-lcfn'];
const synthetic = ['1000000', '3000000', '10000000', '30000000'];
const syntheticQuick = ['300000', '1000000'];
const isSynthetic = (data: string) => /^\d+$/.test(data);

/**
 * The time and memory of a training, on published splits and on synthetic data of increasing size. Parts are names of data
 * sets, or numbers of events.
 */
export async function benchTrain(quick: boolean, parts: readonly string[]): Promise<Report> {
  const chosen = parts.length > 0 ? parts : quick ? syntheticQuick : [...published, ...synthetic];
  requireData(chosen.filter((data) => !isSynthetic(data)));
  const rows: Record<string, string | number>[] = [];
  const goals: Goal[] = [];
  const figures: Record<string, Run> = {};
  const measure = async (data: string, mode: Mode, threads: number, k: number) => {
    const run = await train(data, mode, threads, k);
    console.error(`train: ${data}, ${mode}, ${threads} threads: ${run.seconds.toFixed(1)} s`);
    rows.push({
      data,
      events: run.events,
      users: run.users,
      items: run.items,
      K: run.k,
      mode: mode === 'search' ? 'search and fit' : 'fit',
      threads,
      seconds: run.seconds,
      'cpu s': run.cpuSeconds,
      'peak MiB': Math.round(run.peakBytes / mebibyte),
      'model MiB': Math.round(run.modelBytes / mebibyte),
    });
    figures[`${data} ${mode} ${threads}`] = run;
    return run;
  };
  for (const data of chosen.filter((name) => !isSynthetic(name))) {
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
      text: `${data}: search and fit take ${(search.seconds / fit.seconds).toFixed(1)} times as long as a fit (goal ${fitsPerSearch})`,
      reached: search.seconds <= fitsPerSearch * fit.seconds,
    });
  }
  const syntheticRuns: Run[] = [];
  for (const data of chosen.filter(isSynthetic)) {
    // The same K for all sizes: a K that shrinks with the size would hide the growth.
    const run = await measure(data, 'fit', 2, 100);
    syntheticRuns.push(run);
    const maxBytes = bytesPerEvent * run.events + fixedBytes;
    goals.push({
      text: `${data} events: ${mebibytes(run.peakBytes)} at the peak (goal ${mebibytes(maxBytes)})`,
      reached: run.peakBytes <= maxBytes,
    });
  }
  goals.push(...growthGoals(syntheticRuns, quick ? growth.quick : growth.full));
  return { bench: 'train', tables: [{ title: 'Training', rows }], goals, figures };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte).toLocaleString('en')} MiB`;

function growthGoals(runs: readonly Run[], maxExponent: number): Goal[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return [];
  const exponent = Math.log(last.seconds / first.seconds) / Math.log(last.events / first.events);
  return [
    {
      text: `time grows as events^${exponent.toFixed(2)} from ${first.events.toLocaleString('en')} to ${last.events.toLocaleString('en')} (goal ${maxExponent})`,
      reached: exponent <= maxExponent,
    },
  ];
}

async function train(data: string, mode: Mode, threads: number, k: number): Promise<Run> {
  const child = fileURLToPath(new URL('./child.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, data, `${threads}`, mode, `${k}`]);
  return JSON.parse(stdout) as Run;
}
