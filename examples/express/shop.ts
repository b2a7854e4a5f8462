import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import cookieSession from 'cookie-session';
import { csrfSync } from 'csrf-sync';
import express, { type Request, type Response } from 'express';
import {
  bookIds,
  findBook,
  findBooks,
  genres,
  listGenre,
  newestBooks,
  stockOf,
  takeCopies,
} from './catalog.ts';
import { bookLink, cartButton, csrfField, html, page, shelf } from './html.ts';
import { goesWith, moveEvents, recommend, sendOrder, sendStock, sendView } from './recommendations.ts';

/** What the signed cookie holds. */
interface ShopSession {
  /** A random ID. Kept after the login until the visitor's events are moved to the user. */
  visitor?: string;
  user?: string;
  cart?: string[];
}

const yearMs = 365 * 86_400_000;
const maxCart = 20;

const app = express();
app.use(express.urlencoded({ extended: false, limit: '4kb' }));
app.use(
  cookieSession({
    // Without a secret, a restart logs everybody out.
    keys: [process.env.SESSION_SECRET ?? randomBytes(32).toString('hex')],
    maxAge: yearMs,
    httpOnly: true,
    sameSite: 'lax',
    // For HTTPS behind a proxy, also set 'trust proxy'.
    secure: process.env.NODE_ENV === 'production',
  }),
);
const { csrfSynchronisedProtection, generateToken } = csrfSync({
  size: 32,
  getTokenFromRequest: (request) => field(request, '_csrf'),
});
app.use(csrfSynchronisedProtection);
app.use((_request, response, next) => {
  response.set('Content-Security-Policy', "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
  next();
});

function field({ body }: Request, name: string): string {
  const value = (body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

const sessionOf = (request: Request): ShopSession => request.session as ShopSession;

/** The ID under which Tastegraph knows the shopper: the user, or an anonymous visitor. */
function shopperOf(session: ShopSession): string {
  if (session.user !== undefined) return session.user;
  session.visitor ??= `visitor-${randomUUID()}`;
  return session.visitor;
}

/** Tries again on the next home page if Tastegraph does not answer. */
async function mergeVisitor(session: ShopSession): Promise<void> {
  const { user, visitor } = session;
  if (user === undefined || visitor === undefined) return;
  if (await moveEvents(visitor, user)) delete session.visitor;
}

function show(
  request: Request,
  response: Response,
  title: string,
  content: Parameters<typeof page>[1],
): void {
  const csrf = csrfField(generateToken(request));
  response.send(page({ title, user: sessionOf(request).user, csrf }, content));
}

app.get('/', async (request, response) => {
  const session = sessionOf(request);
  await mergeVisitor(session);
  const ids = await recommend(shopperOf(session), session.cart ?? []);
  const books = ids ? shelf('for-you', 'For you', findBooks(ids)) : shelf('new', 'New books', newestBooks(6));
  show(request, response, 'Bookshop', [books]);
});

app.get('/books', (request, response) => {
  const genre = typeof request.query['genre'] === 'string' ? request.query['genre'] : (genres[0] ?? '');
  const links = genres.map((name) => html`<a href="/books?genre=${encodeURIComponent(name)}">${name}</a> `);
  show(request, response, 'Books', [html`<nav>${links}</nav>`, shelf('books', genre, listGenre(genre))]);
});

app.get('/books/:id', async (request, response) => {
  const book = findBook(request.params.id);
  if (!book) return void response.status(404).send('This book does not exist.');
  const shopper = shopperOf(sessionOf(request));
  // Both at once: the page waits for the slower one, and at most for the time limit.
  const [ids] = await Promise.all([goesWith(shopper, [book.id]), sendView(shopper, book.id)]);
  const csrf = csrfField(generateToken(request));
  show(request, response, book.title, [
    html`<p>${bookLink(book)}, ${book.genres.join(', ')}, ${book.year}</p>${cartButton(book, csrf)}`,
    ids
      ? shelf('similar', 'Similar books', findBooks(ids))
      : shelf('genre', `More ${book.genres[0] ?? ''}`, newestBooks(4, listGenre(book.genres[0] ?? ''))),
  ]);
});

app.get('/cart', async (request, response) => {
  const session = sessionOf(request);
  const cart = session.cart ?? [];
  const ids = cart.length > 0 ? await goesWith(shopperOf(session), [...new Set(cart)]) : undefined;
  const csrf = csrfField(generateToken(request));
  show(request, response, 'Cart', [
    shelf('cart', 'Your books', findBooks(cart)),
    cart.length > 0
      ? html`<form method="post" action="/order">${csrf}<button>Buy</button></form>`
      : html`<p>Empty</p>`,
    shelf('goes-with', 'Goes well with it', findBooks(ids ?? [])),
  ]);
});

app.post('/cart', (request, response) => {
  const id = field(request, 'book');
  if (stockOf(id) === 0) return void response.status(409).send('This book is sold out.');
  const session = sessionOf(request);
  session.cart = [...(session.cart ?? []), id].slice(-maxCart);
  response.redirect(303, '/cart');
});

app.post('/order', async (request, response) => {
  const session = sessionOf(request);
  const bought = takeCopies(session.cart ?? []);
  session.cart = [];
  if (bought.length > 0) await sendOrder(shopperOf(session), bought);
  show(request, response, 'Thank you', [shelf('bought', 'On their way', findBooks(bought))]);
});

app.post('/login', async (request, response) => {
  // Replace this with a real login: here, everybody may be anybody.
  const name = field(request, 'name');
  if (!/^[a-z0-9-]{1,40}$/.test(name) || name.startsWith('visitor-'))
    return void response.status(400).send('A name has 1 to 40 letters a to z, digits and hyphens.');
  const session = sessionOf(request);
  session.user = name;
  await mergeVisitor(session);
  response.redirect(303, '/');
});

app.post('/logout', (request, response) => {
  // The next visitor at this computer starts anew.
  request.session = null;
  response.redirect(303, '/');
});

// So that filters know the stock from the first call on.
await sendStock(bookIds);
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`Running on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
