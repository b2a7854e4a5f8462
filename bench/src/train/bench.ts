import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireData } from '../quality/data.ts';
import type { Goal, Report } from '../report.ts';
import type { KernelWork } from './measured-executor.ts';
import { measureReading, type Reading } from './read.ts';

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
  readonly modelSha256: string;
  /** By stage, the seconds and the CPU seconds of all threads. */
  readonly stages: Record<string, readonly [seconds: number, cpuSeconds: number]>;
  /** Of a fit alone. */
  readonly cooccurrence?: KernelWork;
  readonly regression?: KernelWork;
}

type Mode = 'fit' | 'search';

const mebibyte = 2 ** 20;
/** The memory goal: a part per event and a fixed part, which includes Node itself. 100 million events fit into 8 GiB. */
const bytesPerEvent = 80;
const fixedBytes = 512 * mebibyte;
/** With two threads on an otherwise idle machine. */
const gowallaSeconds = 4;
const fitsPerSearch = 10;
/** The exponent of the whole fit's CPU time, slightly above that of its steps. A quick run is short, hence noisy. */
const growth = { full: 1.1, quick: 1.4 };
/** By how much the CPU time per step may grow from the smallest to the largest data. */
const stepGrowth = { full: 1.15, quick: 2.5 };
const kernelNames = ['cooccurrence', 'regression'] as const;

const published = ['gowalla', 'yelp2018', 'amazon-cds', 'ml-1m-lcfn'];
const synthetic = ['1000000', '3000000', '10000000', '30000000'];
const syntheticQuick = ['300000', '1000000'];
const isSynthetic = (part: string) => /^\d+$/.test(part);
const isSearch = (part: string) => /^search:\d+$/.test(part);

/** The part that measures how long a training spends reading. */
const reading = 'read';

/**
 * The time and memory of a training, on published splits and on synthetic data of increasing size, and how long it reads
 * its data. Parts are names of data sets, numbers of events, `search:` and a number of events, or `read`.
 */
export async function benchTrain(quick: boolean, parts: readonly string[]): Promise<Report> {
  const chosen = parts.length > 0 ? parts : quick ? syntheticQuick : [...published, ...synthetic, reading];
  const isOther = (part: string) => part === reading || isSynthetic(part) || isSearch(part);
  const named = chosen.filter((part) => !isOther(part));
  requireData(named);
  const rows: Record<string, string | number>[] = [];
  const goals: Goal[] = [];
  const figures: Record<string, unknown> = {};
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
  for (const data of named) {
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
    goals.push(memoryGoal(data, run));
  }
  for (const part of chosen.filter(isSearch))
    goals.push(memoryGoal(part, await measure(part.replace('search:', ''), 'search', 2, 100)));
  const size = quick ? 'quick' : 'full';
  goals.push(...growthGoals(syntheticRuns, growth[size]), ...stepGoals(syntheticRuns, stepGrowth[size]));
  const tables = [{ title: 'Training', rows }];
  if (syntheticRuns.length > 0) tables.push({ title: 'Kernels', rows: syntheticRuns.map(kernelRow) });
  if (chosen.includes(reading)) {
    const readings = await measureReading(quick);
    figures[reading] = readings;
    tables.push({ title: 'Reading', rows: readings.map(readingRow) });
  }
  return { bench: 'train', tables, goals, figures };
}

function readingRow({ events, readers, seconds, ...cpu }: Reading): Record<string, string | number> {
  return {
    events,
    readers,
    seconds,
    'µs per event': (seconds / events) * 1e6,
    'worker cpu s': cpu.workerCpuSeconds,
    'PostgreSQL cpu s': cpu.databaseCpuSeconds,
  };
}

const nanoseconds = ({ cpuSeconds, steps }: KernelWork) => (cpuSeconds / steps) * 1e9;

/** Steps, time per step and total of each kernel, and the CPU time of everything else. */
function kernelRow(run: Run): Record<string, string | number> {
  const row: Record<string, string | number> = { events: run.events };
  let rest = run.cpuSeconds;
  for (const name of kernelNames) {
    const work = run[name]!;
    rest -= work.cpuSeconds;
    row[`${name}: million steps`] = Math.round(work.steps / 1e6);
    row[`${name}: ns per step`] = nanoseconds(work);
    row[`${name}: cpu s`] = work.cpuSeconds;
  }
  return { ...row, 'rest: cpu s': rest };
}

function stepGoals(runs: readonly Run[], maxGrowth: number): Goal[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return [];
  return kernelNames.map((name) => {
    const ratio = nanoseconds(last[name]!) / nanoseconds(first[name]!);
    return {
      text: `${name}: CPU time per step grows ${ratio.toFixed(2)} times from ${first.events.toLocaleString('en')} to ${last.events.toLocaleString('en')} events (goal ${maxGrowth})`,
      reached: ratio <= maxGrowth,
    };
  });
}

function memoryGoal(part: string, { events, peakBytes }: Run): Goal {
  const maxBytes = bytesPerEvent * events + fixedBytes;
  return {
    text: `${part} events: ${mebibytes(peakBytes)} at the peak (goal ${mebibytes(maxBytes)})`,
    reached: peakBytes <= maxBytes,
  };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte).toLocaleString('en')} MiB`;

function growthGoals(runs: readonly Run[], maxExponent: number): Goal[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return [];
  const exponent = Math.log(last.cpuSeconds / first.cpuSeconds) / Math.log(last.events / first.events);
  return [
    {
      text: `CPU time grows as events^${exponent.toFixed(2)} from ${first.events.toLocaleString('en')} to ${last.events.toLocaleString('en')} (goal ${maxExponent})`,
      reached: exponent <= maxExponent,
    },
  ];
}

async function train(data: string, mode: Mode, threads: number, k: number): Promise<Run> {
  const child = fileURLToPath(new URL('./child.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-memory-protection-keys',
    child,
    data,
    `${threads}`,
    mode,
    `${k}`,
  ]);
  return JSON.parse(stdout) as Run;
}
