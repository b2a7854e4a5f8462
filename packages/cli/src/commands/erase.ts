import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@tastegraph/sdk';
import { abortable } from '../abortable.ts';
import { CliError, InterruptedError } from '../cli-error.ts';
import type { Session } from '../session.ts';
import { table } from '../terminal/table.ts';
import { type AddCommand, yesOption } from './command.ts';

type Erasure = Answer<'getErasure'>;

const pollMs = 1000;

export const addErase: AddCommand = (program) => {
  program
    .command('erase')
    .summary('erase a user')
    .description(
      'Erase a user from all datasets, results and training snapshots of the account, and wait until the erasure is complete.',
    )
    .argument('<user>', 'ID of the user')
    .option(...yesOption)
    .withClient(async ({ confirm, ...session }, user_id) => {
      const { client, output } = session;
      await confirm(`Erase user ${JSON.stringify(user_id)} from the whole account?`);
      const started = await client.eraseUser({ user_id });
      const { erasure_id } = started;
      const erasure = await waitForErasure(session, started);
      output.result(erasure, () =>
        [
          `Erased. Receipt: ${erasure_id}`,
          table(
            ['removed', 'from', 'count'],
            erasure.removed.map(({ kind, where, count }) => [kind, where, count]),
          ),
          table(
            ['remains', 'until'],
            erasure.remains.map(({ what, until }) => [what, until]),
          ),
        ].join('\n\n'),
      );
    });
};

/** Ctrl-C only stops the waiting; the service finishes the erasure. */
async function waitForErasure({ client, signal }: Session, started: Erasure): Promise<Erasure> {
  const { erasure_id } = started;
  try {
    let erasure = started;
    while (erasure.status === 'RUNNING') {
      await abortable(sleep(pollMs), signal);
      erasure = await client.getErasure({ erasure_id });
    }
    return erasure;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    throw new CliError(
      `Interrupted. Erasure ${erasure_id} continues on the service.`,
      'To wait for it, run the same command again: the erasure then starts over.',
      error.exitCode,
      { code: error.code },
    );
  }
}
