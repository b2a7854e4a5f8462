import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireData } from '../quality/data.ts';
import type { Goal, Report } from '../report.ts';

interface Run {
  readonly events: number;
  readonly seconds: number;
  readonly peakBytes: number;
  readonly modelBytes: number;
  readonly stages: Record<string, number>;
}

const mebibyte = 2 ** 20;
/** What a training may take: so much an event, and Node itself with its fixed costs. */
const bytesPerEvent = 200;
const fixedBytes = 2 * 2 ** 30;

/**
 * How long a training takes and how much memory, on the published splits and on made data that grows. Parts: names of
 * data sets, or numbers of events.
 */
export async function benchTrain(quick: boolean, parts: readonly string[]): Promise<Report> {
  const real = ['gowalla', 'yelp2018', 'amazon-cds', 'ml-1m-lcfn'];
  const made = ['1000000', '3000000', '10000000', '30000000'];
  const chosen = parts.length > 0 ? parts : quick ? ['300000', '1000000'] : [...real, ...made];
  const rows: Record<string, string | number>[] = [];
  const goals: Goal[] = [];
  const figures: Record<string, unknown> = {};
  const grown: Run[] = [];
  const note = (data: string, threads: number, how: string, run: Run) => {
    console.error(`train: ${data}, ${how}, ${threads} threads: ${run.seconds.toFixed(1)} s`);
    rows.push({
      ...{ data, how, threads, events: run.events },
      seconds: run.seconds,
      'peak MiB': Math.round(run.peakBytes / mebibyte),
      'model MiB': Math.round(run.modelBytes / mebibyte),
    });
    figures[`${data} ${how} ${threads}`] = run;
  };
  for (const data of chosen.filter((name) => !/^\d+$/.test(name))) {
    requireData();
    const one = await run(data, 1, 'fit');
    note(data, 1, 'fit', one);
    const two = await run(data, 2, 'fit');
    note(data, 2, 'fit', two);
    const searched = await run(data, 2, 'search');
    note(data, 2, 'search', searched);
    if (data === 'gowalla')
      goals.push(
        {
          text: `gowalla: fit on two threads in ${two.seconds.toFixed(1)} s (goal 4)`,
          reached: two.seconds <= 4,
        },
        {
          text: `gowalla: search and fit take ${(searched.seconds / two.seconds).toFixed(1)} fits (goal 10)`,
          reached: searched.seconds <= 10 * two.seconds,
        },
      );
  }
  for (const data of chosen.filter((name) => /^\d+$/.test(name))) {
    // The same K for all sizes, or growth would be hidden by K shrinking.
    const result = await run(data, 2, 'fit', 100);
    note(data, 2, 'fit', result);
    grown.push(result);
    goals.push({
      text: `${data} events: ${Math.round(result.peakBytes / mebibyte)} MiB at the peak (goal 200 bytes an event and 2 GiB)`,
      reached: result.peakBytes <= bytesPerEvent * result.events + fixedBytes,
    });
  }
  const [first, last] = [grown[0], grown.at(-1)];
  if (first && last && first !== last) {
    const exponent = Math.log(last.seconds / first.seconds) / Math.log(last.events / first.events);
    // A quick run is short enough for noise to matter.
    const most = quick ? 1.4 : 1.1;
    goals.push({
      text: `time grows as events^${exponent.toFixed(2)} (goal ${most})`,
      reached: exponent <= most,
    });
  }
  return { bench: 'train', tables: [{ title: 'Training', rows }], goals, figures };
}

async function run(data: string, threads: number, how: 'fit' | 'search', k = 200): Promise<Run> {
  const child = fileURLToPath(new URL('./child.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=8192',
    ...[child, data, String(threads), how, String(k)],
  ]);
  return JSON.parse(stdout) as Run;
}
