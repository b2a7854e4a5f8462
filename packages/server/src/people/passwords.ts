import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../http/api-error.ts';
import { createLimiter } from '../kernel/lib/limiter.ts';

const derive = promisify(argon2);

/** OWASP's recommendation for Argon2id: 19 MiB, two passes. docs/decisions/people.md has the times. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** Two of libuv's four threads, so that sign-ins never keep files and name lookups waiting, and 38 MiB. Others wait, then fail. */
const limiter = createLimiter({
  concurrency: 2,
  maxWaiting: 32,
  waitMs: 5000,
  refuse: () =>
    new ApiError('UNAVAILABLE', 'Too many people are signing in. Try again shortly.', {
      retryAfterSeconds: 2,
    }),
});

/** As a PHC string, which contains the parameters, so that these can change later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await tagOf(password, salt, cost);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

/** The tag of no password. Comparing with it takes as long as with any other. */
const noPassword = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(Buffer.alloc(saltBytes))}$${encode(Buffer.alloc(tagBytes))}`;

/** False without a hash, after the same time: it must not reveal who exists or has a password. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, , , parameters = '', salt = '', tag = ''] = (hash ?? noPassword).split('$');
  const number = (name: string) => Number(new RegExp(`(?:^|,)${name}=(\\d+)`).exec(parameters)?.[1]);
  const stored = Buffer.from(tag, 'base64');
  const options = { memory: number('m'), passes: number('t'), parallelism: number('p') };
  const derived = await tagOf(password, Buffer.from(salt, 'base64'), options);
  return timingSafeEqual(derived, stored) && hash !== null;
}

/** The same text typed on another keyboard may have other code points, hence NFKC (NIST SP 800-63B). */
function tagOf(password: string, nonce: Buffer, options: typeof cost): Promise<Buffer> {
  const message = password.normalize('NFKC');
  return limiter(() => derive('argon2id', { ...options, message, nonce, tagLength: tagBytes }));
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
