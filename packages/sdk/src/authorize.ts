import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import type { Clock } from './clock.ts';
import { abortable, type Deadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { HttpRequest } from './http.ts';
import type { KeyAccess, Settings } from './options.ts';
import { TokenStore } from './tokens.ts';

export interface CallLimits {
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** What an attempt adds to its request. */
export type Access = Pick<HttpRequest, 'headers' | 'credentials'>;

/** Sends an attempt with what identifies the caller. `renewal` says whether the call has already renewed its token. */
export type Authorize = (
  name: OperationName,
  send: (access: Access) => Promise<object>,
  limits: CallLimits,
  renewal: { done: boolean },
) => Promise<object>;

export function createAuthorize(settings: Settings, clock: Clock): Authorize {
  const { access } = settings;
  if ('apiKey' in access) return authorizeByKey(access, new TokenStore(settings, access, clock));
  const fixed: Access =
    'writeKey' in access
      ? { headers: { Authorization: `Bearer ${access.writeKey}` } }
      : { headers: access.sessionHeaders, credentials: 'same-origin' };
  return (_name, send) => send(fixed);
}

/** Sends the request with a token. If the service refuses a cached token, tries a new one, once per call. */
function authorizeByKey({ apiKey, scopes }: KeyAccess, tokens: TokenStore): Authorize {
  const sharedScope = [...scopes].map((name) => endpoints[name][1]).join(' ');
  return async (name, send, limits, renewal) => {
    const { deadline } = limits;
    const scope = scopes.has(name) ? sharedScope : endpoints[name][1];
    const newToken = () => abortable(tokens.fetch(scope, limits), deadline.signal);
    const sendWith = (token: string) =>
      send({ headers: { APIKey: apiKey, Authorization: `Bearer ${token}` } });
    const cached = tokens.find(scope);
    if (cached === undefined) return sendWith(await newToken());
    try {
      return await sendWith(cached);
    } catch (error) {
      if (renewal.done || !(error instanceof ApiError) || error.status !== 401) throw error;
      renewal.done = true;
      tokens.remove(scope, cached);
      return sendWith(tokens.find(scope) ?? (await newToken()));
    }
  };
}
