import type { ConsoleSession } from '@tastegraph/contract';
import { readJson } from './call.ts';

let first: Promise<ConsoleSession | null> | undefined;

/** Asks who is signed in before the rest of the console has loaded. */
export function askForSession(): Promise<ConsoleSession | null> {
  first = readJson<ConsoleSession>('/console/session', new AbortController().signal);
  return first;
}

/** The answer, once: it is soon out of date. */
export function takeFirstSession(): Promise<ConsoleSession | null> | undefined {
  const taken = first;
  first = undefined;
  return taken;
}
