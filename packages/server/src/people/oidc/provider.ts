import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from 'openid-client';
import { createLimiter } from '../../kernel/lib/limiter.ts';

interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
}

/** The random values of one sign-in, which tie the provider's answer to the browser that asked for it. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider says of the person who signed in. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Only if the provider says that it has verified it. */
  readonly verifiedEmail: string | undefined;
}

/** Per request; a sign-in makes up to four. */
const timeoutSeconds = 5;
/** Endpoints seldom change. Keys do, and are read again when an unknown one is used. */
const refreshMs = 3_600_000;
/** So that a provider that is down is not asked by every click. */
const retryMs = 2000;

/** An OpenID Connect provider. Nothing is requested until the first sign-in. */
export class OidcProvider {
  readonly #options: ProviderOptions;
  #found: { readonly configuration: Configuration; readonly staleAtMs: number } | undefined;
  #failed: { readonly error: unknown; readonly untilMs: number } | undefined;
  #discovering: Promise<Configuration> | undefined;
  /** A flood of made-up answers must not become a flood of requests to the provider. */
  readonly #limit = createLimiter({ concurrency: 16, maxWaiting: 64, waitMs: 5000 });

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** Where the person signs in. */
  async authorizationUrl({ state, nonce, verifier }: Challenge): Promise<string> {
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#options.redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** Exchanges the code in the answer. Throws unless everything in it is as it was asked for. */
  async prove(query: string, { state, nonce, verifier }: Challenge): Promise<ProvenIdentity> {
    return this.#limit(async () => {
      const configuration = await this.#configuration();
      const tokens = await authorizationCodeGrant(
        configuration,
        new URL(`${this.#options.redirectUri}${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      const claims = tokens.claims();
      if (!claims) throw new Error('the identity provider sent no ID token');
      const { iss: issuer, sub: subject } = claims;
      // Some providers put the email into the ID token, others only into the user info.
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const person =
        claims['email'] === undefined && hasUserInfo
          ? await fetchUserInfo(configuration, tokens.access_token, subject)
          : claims;
      return { issuer, subject, verifiedEmail: verifiedEmailOf(person) };
    });
  }

  /** Calls share one discovery. While a new one fails, the endpoints of the last one are used. */
  async #configuration(): Promise<Configuration> {
    const now = performance.now();
    if (this.#found && now < this.#found.staleAtMs) return this.#found.configuration;
    if (this.#failed && now < this.#failed.untilMs) {
      if (this.#found) return this.#found.configuration;
      throw this.#failed.error;
    }
    this.#discovering ??= this.#discover().finally(() => {
      this.#discovering = undefined;
    });
    return this.#discovering;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const execute = [enableNonRepudiationChecks];
    // oxlint-disable-next-line typescript/no-deprecated -- to make it stand out; the settings allow http for localhost only
    if (issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        undefined,
        clientSecret === undefined ? None() : authenticateWith(clientSecret),
        { execute, timeout: timeoutSeconds, [customFetch]: boundedFetch },
      );
      this.#found = { configuration, staleAtMs: performance.now() + refreshMs };
      this.#failed = undefined;
      return configuration;
    } catch (error) {
      this.#failed = { error, untilMs: performance.now() + retryMs };
      if (this.#found) return this.#found.configuration;
      throw error;
    }
  }
}

/** In the way that the provider supports; without a word about it, the specification's default. */
function authenticateWith(clientSecret: string): ClientAuth {
  const basic = ClientSecretBasic(clientSecret);
  const post = ClientSecretPost(clientSecret);
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = supported.includes('client_secret_basic') ? basic : post;
    authenticate(server, ...rest);
  };
}

/** Some providers send a boolean as text or number. */
const isTrue = (claim: unknown) => claim === true || claim === 'true' || claim === 1 || claim === '1';

/**
 * Microsoft Entra ID has no `email_verified`. Its optional claim `xms_edov` says that the owner of the email's domain was verified; without
 * it, the email is whatever an administrator of any tenant has typed.
 */
function verifiedEmailOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const { email, email_verified, xms_edov } = claims;
  return typeof email === 'string' && isTrue(email_verified ?? xms_edov) ? email : undefined;
}

/** Metadata, keys and tokens have a few kilobytes. */
const maxBytes = 1024 * 1024;

/** `fetch` for openid-client, which reads whole responses: fails instead of filling the memory. */
const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the identity provider sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
};
