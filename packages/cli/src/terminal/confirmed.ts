import { unlessInterrupted } from '../interruptible.ts';
import { usageProblem } from '../problem.ts';
import { ask, isInteractive } from './prompt.ts';

/** Returns when it may be done: what is deleted is gone, so that silence is no. */
export async function confirmed(
  yes: boolean | undefined,
  question: string,
  signal: AbortSignal,
): Promise<void> {
  if (yes) return;
  if (!isInteractive()) throw usageProblem('Nobody can be asked whether to delete it.', 'Give --yes.');
  if (!/^\s*y/i.test(await unlessInterrupted(ask(`${question} [y/N] `), signal)))
    throw usageProblem('Not deleted.', 'Answer y, or give --yes.');
}
