import type { Job } from './jobs.ts';

/** How far a job was at a time. */
interface Sample {
  readonly ts: number;
  readonly fraction: number;
}

/** Before that, the pace says nothing. */
const minFraction = 0.05;
/** The pace of so long counts as the present one. */
const recentMs = 60_000;

/**
 * Seconds until the job ends, by the slower of two paces: since its start, and of the last minute. Stages differ, and a machine may
 * be busier than when the job started. Undefined while nothing is known.
 */
export function secondsLeft(startedTs: number, samples: readonly Sample[], now: number): number | undefined {
  const last = samples.at(-1);
  if (!last || last.fraction < minFraction) return undefined;
  const overall = last.fraction / Math.max(1, now - startedTs);
  const from = samples.find(({ ts }) => ts >= now - recentMs) ?? last;
  const recent = now - from.ts >= recentMs / 4 ? (last.fraction - from.fraction) / (now - from.ts) : overall;
  // A stage that reports nothing for a while is no reason for an infinite time.
  const pace = Math.max(overall / 10, Math.min(overall, recent));
  return Math.max(1, Math.round((1 - last.fraction) / pace / 1000));
}

/** Jobs that are watched; a project has few that run at the same time. */
const maxJobs = 20;
const watched = new Map<string, Sample[]>();

/**
 * Estimates the seconds until a job ends. Call it whenever the job was read: the estimate uses the progress of earlier calls.
 * Undefined while nothing is known.
 */
export function timeLeftOf(
  { job_id, progress, started_ts }: Pick<Job, 'job_id' | 'progress' | 'started_ts'>,
  now = Date.now(),
): number | undefined {
  if (!progress || started_ts === null) return undefined;
  const seen = watched.get(job_id) ?? [];
  // The newest one stays, however old: a retry starts again.
  const samples = seen.filter(
    (one) => one.ts >= started_ts && (one.ts >= now - recentMs || one === seen.at(-1)),
  );
  if (samples.at(-1)?.fraction !== progress.fraction) samples.push({ ts: now, fraction: progress.fraction });
  watched.delete(job_id);
  watched.set(job_id, samples);
  const [oldest] = watched.keys();
  if (watched.size > maxJobs && oldest !== undefined) watched.delete(oldest);
  return secondsLeft(started_ts, samples, now);
}
