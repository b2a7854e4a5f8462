import type { JobProgress } from '../rows/jobs.ts';

/** Often enough to look alive, rarely enough to cost nothing. */
const everyMs = 1000;

export type ReportProgress = (stage: string, fraction: number, message?: string) => void;

/**
 * Writes an attempt's progress: a new stage at once, other updates at most once per interval, one write at a time, the
 * newest last.
 */
export function createProgressReporter(write: (progress: JobProgress) => Promise<void>): ReportProgress {
  let newest: JobProgress | undefined;
  let stage: string | undefined;
  let last = Number.NEGATIVE_INFINITY;
  let writing = false;

  const flush = async (): Promise<void> => {
    writing = true;
    while (newest && (newest.stage !== stage || performance.now() - last >= everyMs)) {
      const progress = newest;
      newest = undefined;
      stage = progress.stage;
      last = performance.now();
      // A lost update does no harm: the next one supersedes it.
      await write(progress).catch(() => undefined);
    }
    writing = false;
  };
  return (nextStage, fraction, message) => {
    newest = { stage: nextStage, fraction: Math.min(1, Math.max(0, fraction)), message: message ?? null };
    if (!writing) void flush();
  };
}
