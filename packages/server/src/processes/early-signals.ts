import { constants } from 'node:os';

type StopSignal = 'SIGTERM' | 'SIGINT';

let act = (signal: StopSignal): void => process.exit(128 + constants.signals[signal]);

/** The first process of a container has no default for signals: without this, one stopped as it starts runs until it is killed. */
export function exitOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => act(signal));
}

/** Calls `next` on signals from now on. The listeners stay: Node loses a signal that arrives between two of them. */
export function handleSignals(next: (signal: StopSignal) => void): void {
  act = next;
}
