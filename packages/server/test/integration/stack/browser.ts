import {
  type ConsoleSession,
  consolePaths,
  type OperationName,
  type Problem,
  type Role,
} from '@tastegraph/contract';
import { createPerson } from '../../../src/people/create-person.ts';
import type { TestApi } from './api.ts';
import { type Answer, answer, requestOf } from './caller.ts';

/** Keeps a cookie and a CSRF token, as a browser with the console does. */
export class Browser {
  readonly baseUrl: string;
  accountId = '';
  csrfToken = '';
  cookie: string | undefined;
  /** The cookie that stays after signing out. */
  device: string | undefined;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** Calls a path of the console, as a page of the same origin. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const all = { ...own, ...this.#cookieHeader(), ...headers };
    const init = { method: 'POST', headers: all, body: JSON.stringify(body) };
    return this.#keep(await fetch(`${this.baseUrl}${path}`, init));
  }

  async session(): Promise<Answer<Body>> {
    return this.#keep(
      await fetch(`${this.baseUrl}${consolePaths.session}`, { headers: this.#cookieHeader() }),
    );
  }

  /** In the first account. */
  async personId(): Promise<string> {
    return (await this.session()).body.accounts[0]?.person_id ?? '';
  }

  async redeem(link: string): Promise<Answer<Body>> {
    return this.post(consolePaths.redeemLink, { token: tokenOf(link) });
  }

  async signIn(email: string, password: string, headers?: Record<string, string>): Promise<Answer<Body>> {
    return this.post(consolePaths.signIn, { email, password }, headers);
  }

  /** Another browser with the same session, by default at the same process. */
  copy(baseUrl = this.baseUrl): Browser {
    const { cookie, csrfToken, accountId } = this;
    return Object.assign(new Browser(baseUrl), { cookie, csrfToken, accountId });
  }

  headers(): Record<string, string> {
    return {
      ...this.#cookieHeader(),
      'tastegraph-csrf': this.csrfToken,
      'tastegraph-account': this.accountId,
    };
  }

  /** Calls an operation with the session. */
  async ask(
    name: OperationName,
    request: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Answer<Problem & Record<string, unknown>>> {
    const all = { ...this.headers(), ...headers };
    return answer(await fetch(...requestOf(this.baseUrl, name, request, all))) as Promise<
      Answer<Problem & Record<string, unknown>>
    >;
  }

  #cookieHeader(): Record<string, string> {
    const cookies = [this.cookie, this.device].filter((each) => each !== undefined);
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  }

  async #keep(response: Response): Promise<Answer<Body>> {
    const [set, device] = response.headers.getSetCookie();
    if (device !== undefined) this.device = device.split(';')[0];
    if (set !== undefined) this.cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0];
    const { status, headers, body } = (await answer(response)) as Answer<Body>;
    if (status === 200 && 'csrf_token' in body) {
      this.csrfToken = body.csrf_token;
      this.accountId ||= body.accounts[0]?.account_id ?? '';
    }
    return { status, headers, body };
  }
}

type Body = ConsoleSession & Problem;

export const tokenOf = (link: string) => new URL(link).hash.replace('#token=', '');

let people = 0;

/** A person with a role in the account, and a link that signs them in. */
export async function invite(
  { db, baseUrl }: Pick<TestApi, 'db' | 'baseUrl'>,
  accountId: string,
  role: Role,
  email = `person-${(people += 1)}@example.com`,
) {
  return db.transaction((tx) => createPerson(tx, baseUrl, { accountId, email, name: 'Person', role }));
}

/** A browser in which the link has been opened. */
export async function openedWith(link: string, { baseUrl }: Pick<TestApi, 'baseUrl'>): Promise<Browser> {
  const browser = new Browser(baseUrl);
  const { status } = await browser.redeem(link);
  if (status !== 200) throw new Error(`the link was refused with ${status}`);
  return browser;
}

/** A browser in which a new person of the account is signed in. */
export async function signedIn(
  api: Pick<TestApi, 'db' | 'baseUrl'>,
  accountId: string,
  role: Role,
): Promise<Browser> {
  return openedWith((await invite(api, accountId, role)).link, api);
}
