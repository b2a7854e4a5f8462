import { writeKeyPattern } from '@tastegraph/contract';

const form = new RegExp(writeKeyPattern);

/** A write key that is well-formed, and may be wrong. */
export interface SentWriteKey {
  readonly apiKey: string;
  readonly secret: string;
}

/** Undefined if the text has not the form of a write key. A token never has it. */
export function parseWriteKey(text: string): SentWriteKey | undefined {
  const [, apiKey, secret] = form.exec(text) ?? [];
  return apiKey === undefined || secret === undefined ? undefined : { apiKey, secret };
}
