import type { JobProgress } from '../../storage/postgres/jobs.ts';

/** Often enough to look alive, rare enough to cost nothing. */
const everyMs = 1000;

export type ReportProgress = (stage: string, fraction: number, message?: string) => void;

/** Writes how far an attempt is: a new stage at once, the rest at most once in a while, one write at a time, the newest last. */
export function reportTo(write: (progress: JobProgress) => Promise<void>): ReportProgress {
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
      // Nobody's work is lost by a progress that did not get through; the next one says more.
      await write(progress).catch(() => undefined);
    }
    writing = false;
  };
  return (nextStage, fraction, message) => {
    newest = { stage: nextStage, fraction: Math.min(1, Math.max(0, fraction)), message: message ?? null };
    if (!writing) void flush();
  };
}
