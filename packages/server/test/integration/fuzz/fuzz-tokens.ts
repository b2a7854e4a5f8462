import fc from 'fast-check';
import type { Credentials } from '../stack/caller.ts';
import type { RawRequest } from './fuzz-http.ts';
import { anyJson, anyText, objectJson } from './fuzz-json.ts';

/** Any token request, as a form, JSON or neither, from a random address so that no rate limit applies. */
export function anyTokenRequest({ apiKey, apiSecret }: Credentials): fc.Arbitrary<RawRequest> {
  const text = (right: string) => fc.oneof(fc.constant(right), anyText);
  const fields = fc.array(
    fc.oneof(
      fc.tuple(fc.constant('client_id'), text(apiKey)),
      fc.tuple(fc.constant('client_secret'), text(apiSecret)),
      fc.tuple(fc.constant('scope'), text('/get-job')),
      fc.tuple(fc.constantFrom('grant_type', '__proto__', 'toString'), text('client_credentials')),
    ),
    { maxLength: 6 },
  );
  const form = fields.map((pairs) =>
    pairs.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('=')).join('&'),
  );
  const json = fc.oneof(
    fields.map((pairs) => objectJson(pairs.map(([name, value]) => [name, JSON.stringify(value)]))),
    fc.tuple(fc.constantFrom('client_id', 'scope'), anyJson).map((field) => objectJson([field])),
    anyJson,
  );
  const body = fc.oneof(
    form.map((sent) => ({ type: 'application/x-www-form-urlencoded', sent })),
    json.map((sent) => ({ type: 'application/json', sent })),
    fc.record({
      type: fc.constantFrom('text/plain', '', 'application/json'),
      sent: fc.oneof(anyText, fc.constant('x'.repeat(20_000))),
    }),
  );
  const basic = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc
      .tuple(anyText, anyText)
      .map((pair) => ({ authorization: `Basic ${Buffer.from(pair.join(':')).toString('base64')}` }))
      // Headers of more than 16 KiB are refused before the path is known.
      .filter(({ authorization }) => authorization.length < 15_000),
  );
  return fc.tuple(body, basic, fc.ipV4()).map(([{ type, sent }, authorization, address]) => ({
    method: 'POST',
    path: '/oauth/token',
    headers: { 'content-type': type, 'x-forwarded-for': address, ...authorization },
    body: [Buffer.from(sent)],
  }));
}
