import { createHmac, createSecretKey } from 'node:crypto';
import { newId } from '../../http/ids.ts';

/** A migration has inserted it. */
export const idSecretName = 'recommendation_ids';

/** An ID ends with its signature: 64 bits, in hexadecimal digits. Those of earlier releases have none. */
const idLength = 30;
const signatureLength = 16;

/** Makes IDs of answers that are signed for a project and a user. Takes a few microseconds. */
export function createIdSigner(secret: Buffer) {
  const key = createSecretKey(secret);
  return (projectId: string, userId: string | undefined): string => {
    const id = newId('recommendation');
    // Project and ID have a fixed length, so that no two answers have the same signed text.
    const text = `${projectId}${userId ?? ''}${id}`;
    return id + createHmac('sha256', key).update(text).digest('hex').slice(0, signatureLength);
  };
}

const blockLength = 64;

/** The values that `isSigned` refers to: for HMAC, the key with its inner and outer padding (RFC 2104). */
export function signingValues(secret: Buffer, projectId: string) {
  const key = Buffer.alloc(blockLength);
  secret.copy(key);
  const pad = (byte: number) => Buffer.from(key.map((one) => one ^ byte)).toString('hex');
  return { project: projectId, inner: pad(0x36), outer: pad(0x5c) };
}

/** SQL: whether the ID of an answer was signed for this project and the user of the answer, or is of an earlier release. */
export const isSigned = (id: string, userId: string): string => `(length(${id}) = ${idLength}
  OR substr(${id}, ${idLength + 1}) = left(sha256(unhex($outer) || unhex(sha256(unhex($inner) ||
    encode($project || coalesce(${userId}, '') || left(${id}, ${idLength}))))), ${signatureLength}))`;
