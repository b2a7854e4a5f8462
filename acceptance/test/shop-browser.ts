import { expect } from 'vitest';

interface ShopPage {
  readonly status: number;
  /** After redirects. */
  readonly path: string;
  readonly html: string;
  /** The IDs of the books in a section; empty if there is no such section. */
  shelf(id: string): string[];
}

const maxRedirects = 3;

/** A visitor with cookies who sends the forms of the last page. Checks that no page contains a secret. */
export class ShopBrowser {
  readonly #url: string;
  readonly #secrets: readonly string[];
  readonly #cookies = new Map<string, string>();
  #token: [name: string, value: string] | undefined;

  constructor(url: string, secrets: readonly string[]) {
    this.#url = url;
    this.#secrets = secrets;
  }

  get(path: string): Promise<ShopPage> {
    return this.#request(path, { method: 'GET' });
  }

  post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<ShopPage> {
    const [name, value] = this.#token ?? [];
    if (name === undefined || value === undefined) throw new Error('The last page had no form.');
    return this.#request(path, { method: 'POST', body: new URLSearchParams({ ...fields, [name]: value }) });
  }

  postWithoutToken(path: string): Promise<ShopPage> {
    return this.#request(path, { method: 'POST', body: new URLSearchParams() });
  }

  async #request(path: string, init: RequestInit, redirects = 0): Promise<ShopPage> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(this.#url + path, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const html = await response.text();
    const location = response.headers.get('location');
    if (location !== null && redirects < maxRedirects)
      return this.#request(location, { method: 'GET' }, redirects + 1);
    for (const secret of this.#secrets) expect(html).not.toContain(secret);
    const [, name, value] = /name="(_csrf|csrf_token)" value="([^"]+)"/.exec(html) ?? [];
    if (name !== undefined && value !== undefined) this.#token = [name, value];
    return { status: response.status, path, html, shelf: (id) => booksOf(html, id) };
  }
}

function booksOf(html: string, id: string): string[] {
  const [, section = ''] = new RegExp(`<section id="${id}">(.*?)</section>`, 's').exec(html) ?? [];
  return [...section.matchAll(/href="\/books\/([^"]+)"/g)].map(([, book = '']) => decodeURIComponent(book));
}
