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

/** As a PHC string, which contains the parameters, so that these can change later. `known`: a hash whose salt it takes. */
export async function hashPassword(password: string, known?: string): Promise<string> {
  const salt = known === undefined ? randomBytes(saltBytes) : parse(known).salt;
  const tag = await tagOf(password, salt, cost);
  return format(salt, tag);
}

function format(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

function parse(hash: string) {
  const [, , , parameters = '', salt = '', tag = ''] = hash.split('$');
  const number = (name: string) => Number(new RegExp(`(?:^|,)${name}=(\\d+)`).exec(parameters)?.[1]);
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    options: { memory: number('m'), passes: number('t'), parallelism: number('p') },
  };
}

/** The tag of no password. Comparing with it takes as long as with any other. */
const noPassword = format(Buffer.alloc(saltBytes), Buffer.alloc(tagBytes));

/** Those who have this password. One hash per salt, and one if nobody has a password: the time must not reveal who exists. */
export async function withPassword<Person extends { readonly password_hash: string | null }>(
  password: string,
  people: readonly Person[],
): Promise<Person[]> {
  const derived = new Map<string, Buffer>();
  const hashes = people.flatMap(({ password_hash: hash }) => hash ?? []);
  for (const hash of hashes.length > 0 ? hashes : [noPassword]) {
    const { salt, options } = parse(hash);
    const way = hash.slice(0, hash.lastIndexOf('$'));
    if (!derived.has(way)) derived.set(way, await tagOf(password, salt, options));
  }
  return people.filter(({ password_hash: hash }) => {
    const tag = hash === null ? undefined : derived.get(hash.slice(0, hash.lastIndexOf('$')));
    return hash !== null && tag !== undefined && timingSafeEqual(tag, parse(hash).tag);
  });
}

/** The same text typed on another keyboard may have other code points, hence NFKC (NIST SP 800-63B). */
function tagOf(password: string, nonce: Buffer, options: typeof cost): Promise<Buffer> {
  const message = password.normalize('NFKC');
  return limiter(() => derive('argon2id', { ...options, message, nonce, tagLength: tagBytes }));
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
