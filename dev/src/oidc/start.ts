import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import { findFreePort } from '../processes/port.ts';

/** What the provider says of a person. */
export interface ProvidedPerson {
  readonly email?: string;
  readonly email_verified?: boolean;
  /** As Microsoft Entra ID sends it instead. */
  readonly xms_edov?: boolean | string;
}

export interface PrivateProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject. Its sign-in page has a button for each. */
  readonly people: Map<string, ProvidedPerson>;
}

/** A real OpenID Connect provider without passwords, for tests. On localhost: for a browser another site than 127.0.0.1. */
export async function startIdentityProvider(options: { port?: number } = {}): Promise<PrivateProvider> {
  const port = options.port ?? (await findFreePort());
  const issuer = `http://localhost:${port}`;
  const client = { clientId: 'tastegraph', clientSecret: randomBytes(24).toString('hex') };
  const people = new Map<string, ProvidedPerson>();
  const provider = new Provider(issuer, configurationOf(client, people));
  // The tests' services have any port.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => uri.endsWith('/console/oidc/callback');
  const answer = provider.callback();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    const handled = pathname.startsWith('/interaction/')
      ? interact(provider, people, request, response)
      : answer(request, response);
    handled.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  return {
    issuer,
    ...client,
    people,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configurationOf(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  people: ReadonlyMap<string, ProvidedPerson>,
): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: ['http://localhost/any'] }],
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }],
    },
    cookies: { keys: [randomBytes(24).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    // Consent is not asked for.
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId;
      if (accountId === undefined) return undefined;
      const grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  };
}

/** The sign-in page, with a button for each person, and what it sends. */
async function interact(
  provider: Provider,
  people: ReadonlyMap<string, ProvidedPerson>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    const buttons = [...people.keys(), 'nobody'].map(
      (sub) => `<button name="sub" value="${sub}">${sub}</button>`,
    );
    const page = `<!doctype html><title>Provider</title><form method="post">${buttons.join('')}</form>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    return;
  }
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const sub = new URLSearchParams(body).get('sub') ?? 'nobody';
  const result = sub === 'nobody' ? { error: 'access_denied' } : { login: { accountId: sub } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
