import { type Book, stockOf } from './catalog.ts';

/** Markup that is safe to send. */
class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | string | number | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(render).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Escapes everything that is not markup itself. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: texts }, ...parts.map(render)));

export interface Frame {
  readonly title: string;
  readonly user: string | undefined;
  readonly csrf: Html;
}

export const csrfField = (token: string): Html => html`<input type="hidden" name="_csrf" value="${token}">`;

export const bookLink = ({ id, title, author, price }: Book): Html =>
  html`<a href="/books/${encodeURIComponent(id)}">${title}</a> by ${author}, ${price.toFixed(2)}`;

/** A row of books; nothing if there are none. */
export const shelf = (id: string, title: string, books: readonly Book[]): Html =>
  books.length === 0
    ? html``
    : html`<section id="${id}"><h2>${title}</h2><ul>${books.map((book) => html`<li>${bookLink(book)}</li>`)}</ul></section>`;

export const cartButton = ({ id }: Book, csrf: Html): Html =>
  stockOf(id) > 0
    ? html`<form method="post" action="/cart">${csrf}<button name="book" value="${id}">Add to cart</button></form>`
    : html`<p>Sold out</p>`;

export function page({ title, user, csrf }: Frame, content: readonly Html[]): string {
  const account =
    user === undefined
      ? html`<form method="post" action="/login">${csrf}<input name="name" placeholder="Name" required><button>Log in</button></form>`
      : html`<form method="post" action="/logout">${csrf}${user} <button>Log out</button></form>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>
<nav><a href="/">Home</a> <a href="/books">Books</a> <a href="/cart">Cart</a></nav>${account}
<main><h1>${title}</h1>${content}</main></body></html>`.markup;
}
