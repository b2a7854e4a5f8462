import {
  endpoints,
  type OperationName,
  operationNames,
  type Problem,
  type Request,
  type Response,
} from '@tastegraph/contract';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { type Database, openDatabase } from '../../../src/kernel/postgres/pool.ts';
import { createKey } from '../../../src/keys/manage-keys.ts';

export interface Credentials {
  readonly accountId: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** A key of the account, for some operations or all. */
export async function newKey(
  db: Database,
  accountId: string,
  operations: string[] | null = null,
  cell = 'main',
): Promise<Credentials> {
  const { api_key, api_secret } = await createKey(db, cell, accountId, operations);
  return { accountId, apiKey: api_key, apiSecret: api_secret };
}

/** A key of a new account, as an operator creates it. */
export async function newAccount(db: Database, cell = 'main', plan = 'default'): Promise<Credentials> {
  const { account_id } = await createAccount(db, 'test', plan);
  return newKey(db, account_id, null, cell);
}

/** Creates an account with a key, like an operator. */
export async function makeCredentials(databaseUrl: string, cell = 'main'): Promise<Credentials> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, onIdleError: () => undefined });
  try {
    return await newAccount(db, cell);
  } finally {
    await db.close();
  }
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** A recommendation without its ID, which is different in each response. */
export function withoutId<T extends { readonly recommendation_id: string }>({
  recommendation_id: _id,
  ...rest
}: T): Omit<T, 'recommendation_id'> {
  return rest;
}

/** Calls the API with one key and a token for every operation, and returns the response unchanged. */
export class Caller {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly #scope: string;
  #token: Promise<string> | undefined;

  /** `names` are the operations of the token. A server of another version may not know all operations. */
  constructor(baseUrl: string, credentials: Credentials, names: readonly OperationName[] = operationNames) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
    this.#scope = names.map((name) => endpoints[name][1]).join(' ');
  }

  get accountId(): string {
    return this.credentials.accountId;
  }

  async token(): Promise<string> {
    this.#token ??= this.requestToken(this.#scope).then(
      ({ body }) => (body as { access_token: string }).access_token,
    );
    return this.#token;
  }

  async requestToken(scope: string): Promise<Answer<unknown>> {
    const { apiKey, apiSecret } = this.credentials;
    return answer(
      await fetch(`${this.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: apiKey, client_secret: apiSecret, scope }),
      }),
    );
  }

  async headers(): Promise<Record<string, string>> {
    return { authorization: `Bearer ${await this.token()}`, apikey: this.credentials.apiKey };
  }

  /** Returns the response, whatever its status. */
  async ask<N extends OperationName>(name: N, request: unknown): Promise<Answer<Response<N> & Problem>> {
    return answer(await fetch(...requestOf(this.baseUrl, name, request, await this.headers()))) as Promise<
      Answer<Response<N> & Problem>
    >;
  }

  /** Returns the body of a call that must succeed. */
  async call<N extends OperationName>(name: N, request: Request<N>): Promise<Response<N>> {
    const { status, body } = await this.ask(name, request);
    if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}

/** A caller with another key of the account, which may do nothing else than these operations. */
export async function limitedTo(caller: Caller, ...names: OperationName[]): Promise<Caller> {
  const operations = names.map((name) => endpoints[name][1]);
  const { api_key, api_secret } = await caller.call('createApiKey', { name: 'limited', operations });
  const credentials = { accountId: caller.accountId, apiKey: api_key, apiSecret: api_secret };
  return new Caller(caller.baseUrl, credentials, names);
}

export function requestOf(
  baseUrl: string,
  name: OperationName,
  request: unknown,
  headers: Record<string, string>,
): [string, RequestInit] {
  const [method, path] = endpoints[name];
  if (method === 'GET') {
    const query = new URLSearchParams(request as Record<string, string>);
    return [`${baseUrl}${path}?${query.toString()}`, { method, headers }];
  }
  const json = { ...headers, 'content-type': 'application/json' };
  return [`${baseUrl}${path}`, { method, headers: json, body: JSON.stringify(request) }];
}

export async function answer(response: globalThis.Response): Promise<Answer<unknown>> {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A problem without the IDs it quotes. What is left must not distinguish another account's thing from a missing one. */
export function withoutIds(problem: Problem): Problem {
  return { ...problem, request_id: '', detail: problem.detail.replaceAll(/`[^`]*`/g, '`ID`') };
}
