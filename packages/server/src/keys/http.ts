import type { HttpPart } from '../http/part.ts';
import { createRateLimit } from '../kernel/redis/token-bucket.ts';
import type { Services } from '../services.ts';
import { Authenticator } from './authenticate.ts';
import { identifyKey } from './identify.ts';
import { KeyUses, writeKeyUses } from './key-uses.ts';
import { SigningKeys } from './signing-keys.ts';
import { serveTokens } from './token-route.ts';
import { WriteKeys } from './write-keys.ts';

/**
 * Token requests per minute. A client needs one token per hour for each set of scopes; a fleet of processes with one key
 * needs more when it starts.
 *
 * Secrets have 256 random bits, so guessing is hopeless: a botnet of 100,000 addresses at 20 guesses per minute needs 10^63
 * years. Limits on failures reduce the load on logs and the database (a guess costs one indexed read and one SHA-256, 0.2 ms)
 * and must not become a way to lock others out:
 * - One key from one address: after 20 failures only that pair is blocked. The key works from other addresses, and other keys
 *   work from that address.
 * - One key from many addresses: each pair has its own 20 failures, so the owner's address is not blocked.
 * - Many keys from one address: limited to 600 failures in total; further failures get 429 instead of 401. A caller with the
 *   right secret still gets a token, even behind a proxy that hides many callers.
 */
const perMinute = { seconds: 60, timeoutMs: 500 };
const tokensIssued = { ...perMinute, name: 'tokens-issued', limit: 300 };
const failuresOfPair = { ...perMinute, name: 'tokens-failed-pair', limit: 20 };
const failuresOfAddress = { ...perMinute, name: 'tokens-failed-address', limit: 600 };

/** The share of the memory for verified tokens, and as much again for API keys and for write keys. */
const tokensShare = 0.005;
const minTokenBytes = 4e6;

/** Identifies callers by their keys, and issues tokens. */
export function http({ config, controlDb, reads, redis, log, closers, stopping }: Services): HttpPart {
  const signingKeys = new SigningKeys(reads.control);
  const keyUses = new KeyUses((uses) => writeKeyUses(controlDb, uses));
  const onLost = (error: unknown) => log.warn({ err: error }, 'the last use of API keys was not written');
  const onUse = (apiKey: string) => keyUses.note(apiKey);
  closers.add('uses of API keys', 5000, keyUses.start(stopping, onLost));
  const cacheBytes = Math.max(minTokenBytes, config.serving.memoryBytes * tokensShare);
  const keys = {
    authenticator: new Authenticator(reads.control, signingKeys, { cacheBytes, onUse }),
    writeKeys: new WriteKeys(controlDb, { cacheBytes, onUse }),
  };
  const limits = {
    issued: createRateLimit(redis, tokensIssued),
    failuresOfPair: createRateLimit(redis, failuresOfPair),
    failuresOfAddress: createRateLimit(redis, failuresOfAddress),
  };
  return {
    identify: (request, called) => identifyKey(keys, request, called),
    surface: (app) => serveTokens(app, { db: reads.control, signingKeys, onUse, limits }),
  };
}
