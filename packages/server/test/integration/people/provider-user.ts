/** A browser's cookies, without their rules: every request has all of them. */
class CookieJar {
  readonly #values = new Map<string, string>();

  keep(response: Response): void {
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const end = pair.indexOf('=');
      const name = pair.slice(0, end);
      const value = pair.slice(end + 1);
      if (value === '' || set.includes('Max-Age=0')) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  get header(): string {
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** A person in a browser who signs in to the console with the identity provider. */
export class ProviderUser {
  readonly #baseUrl: string;
  /** Of the service. */
  readonly jar = new CookieJar();
  readonly #providerJar = new CookieJar();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Opens a path of the service and returns where it leads to. */
  async open(path: string): Promise<string> {
    return this.#visit(new URL(path, this.#baseUrl).href, this.jar);
  }

  async start(next = '/'): Promise<string> {
    return this.open(`/console/oidc/start?next=${encodeURIComponent(next)}`);
  }

  /** Chooses a person on the provider's page and returns the address that leads back. */
  async authenticate(authorizationUrl: string, subject: string): Promise<string> {
    const { origin } = new URL(authorizationUrl);
    let url = await this.#visit(authorizationUrl, this.#providerJar);
    if (url.includes('/interaction/')) url = await this.#visit(url, this.#providerJar, { sub: subject });
    while (url.startsWith(origin)) url = await this.#visit(url, this.#providerJar);
    return url;
  }

  /** All of it. Returns where the person ends up. */
  async signIn(subject: string, next?: string): Promise<string> {
    return this.open(await this.authenticate(await this.start(next), subject));
  }

  async session(): Promise<{
    status: number;
    body: { accounts?: { account_id: string; person_id: string }[] };
  }> {
    const response = await fetch(`${this.#baseUrl}/console/session`, {
      headers: { cookie: this.jar.header },
    });
    return { status: response.status, body: (await response.json()) as never };
  }

  async #visit(url: string, jar: CookieJar, form?: Record<string, string>): Promise<string> {
    const response = await fetch(url, {
      redirect: 'manual',
      // As from a click in the page itself.
      headers: { cookie: jar.header, 'sec-fetch-site': 'same-origin' },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    jar.keep(response);
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`${url} leads nowhere: ${response.status} ${await response.text()}`);
    return new URL(location, url).href;
  }
}
