import { randomUUID } from 'node:crypto';
import type { SessionTokens } from './session-tokens.ts';

/** A browser in which these people have signed in. A person who is invited again is another one. */
export interface Device {
  readonly device: string;
  readonly people: readonly string[];
}

const purpose = 'device';

/** A new one for each sign-in, so that whoever signs in as themselves gets no attempts at somebody else. */
export const signDevice = (tokens: SessionTokens, people: readonly string[]): string =>
  tokens.sign(purpose, JSON.stringify({ device: randomUUID(), people } satisfies Device));

export function verifyDevice(tokens: SessionTokens, signed: string | undefined): Device | undefined {
  const text = tokens.verify(purpose, signed ?? '');
  return text === undefined ? undefined : (JSON.parse(text) as Device);
}
