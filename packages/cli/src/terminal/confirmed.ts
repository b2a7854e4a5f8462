import { usageProblem } from '../problem.ts';
import { ask, isInteractive } from './prompt.ts';

/** Returns when it may be done: what is deleted is gone, so that silence is no. */
export async function confirmed(yes: boolean | undefined, question: string): Promise<void> {
  if (yes) return;
  if (!isInteractive()) throw usageProblem('Nobody can be asked whether to delete it.', 'Give --yes.');
  if (!/^\s*y/i.test(await ask(`${question} [y/N] `)))
    throw usageProblem('Not deleted.', 'Answer y, or give --yes.');
}
