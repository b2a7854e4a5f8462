import { type AttackName, type AttackOptions, prepareAttack } from './attacks.ts';
import { callAsVictim, type VictimOptions } from './victim.ts';

/** An attack is prepared once and can be run and stopped any number of times. */
export type Command =
  | { readonly victim: VictimOptions; readonly seconds: number }
  | { readonly prepare: AttackName; readonly order: AttackOptions }
  | { readonly run: true }
  | { readonly stop: true };

let stop = new AbortController();
let attack: ReturnType<typeof prepareAttack> | undefined;

async function execute(command: Command): Promise<unknown> {
  if ('victim' in command) return callAsVictim(command.victim, command.seconds);
  if ('prepare' in command) {
    attack = prepareAttack(command.prepare, command.order);
    return {};
  }
  stop = new AbortController();
  return attack?.(stop.signal);
}

process.on('message', (command: Command) => {
  if ('stop' in command) {
    stop.abort();
    return;
  }
  void execute(command).then(
    (done) => process.send?.({ done }),
    (error: unknown) => process.send?.({ failed: String((error as Error).stack) }),
  );
});
// The parent process is gone.
process.on('disconnect', () => process.exit());
