import type { MessageCode, ShortfallCode } from '@tastegraph/contract';

/** What a response says in words, and as a code for programs. */
interface Note<Code> {
  readonly code: Code;
  readonly text: string;
}

/** How the response differs from what was requested. */
export type Message = Note<MessageCode>;
/** Why there are fewer items than requested. */
export type Shortfall = Note<ShortfallCode>;

/** The fields of a response: all sentences, and the code of the first. */
export function messageFields(...messages: readonly (Message | null)[]) {
  const given = messages.filter((message) => message !== null);
  return {
    message: given.map(({ text }) => text).join(' ') || null,
    message_code: given[0]?.code ?? null,
  };
}
