import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { RawRequest } from './fuzz-http.ts';
import { anyJson } from './fuzz-json.ts';

type Headers = Readonly<Record<string, string>>;

const contentTypes = [
  [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;',
    'application/json; charset=utf-16',
  ],
  [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'json',
    '',
    '/',
    ';',
    '*/*',
  ],
].flat();
const encodings = [
  'gzip',
  'GZIP',
  ' gzip ',
  'x-gzip',
  'identity',
  '',
  'deflate',
  'br',
  'zstd',
  'gzip, gzip',
  'gzip;q=1',
  'constructor',
];

/** Text that HTTP allows in a header. */
const headerText = fc.stringMatching(/^[\t -~\u0080-\u00ff]{0,40}$/);
const someBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const json = fc
  .constantFrom(
    '{}',
    '[]',
    '{"event_dataset_id":"x","events":[]}',
    '',
    '{',
    'NaN',
    '\ufeff{}',
    '{"a":\u0000}',
  )
  .map((text) => Buffer.from(text));

/** A body with invalid bytes, type or encoding, in one or several chunks. */
export function anyTransfer(path: string): fc.Arbitrary<RawRequest> {
  const gzip = fc
    .tuple(
      fc.oneof(
        json,
        anyJson.map((text) => Buffer.from(text)),
      ),
      fc.nat(40),
      fc.nat(255),
    )
    .map(([plain, at, flip]) => {
      const zipped = gzipSync(plain);
      const broken = Buffer.from(zipped);
      broken[at % broken.length] = (broken[at % broken.length] ?? 0) ^ flip;
      return [zipped, zipped.subarray(0, at), broken, Buffer.concat([zipped, zipped])][flip % 4] ?? zipped;
    });
  return fc
    .record({
      type: fc.oneof(
        { weight: 3, arbitrary: fc.constant('application/json') },
        fc.constantFrom(...contentTypes),
        headerText,
      ),
      encoding: fc.oneof(fc.constantFrom('gzip', 'identity'), fc.constantFrom(...encodings), headerText),
      body: fc.oneof(someBytes, json, gzip),
      cut: fc.nat(20),
    })
    .map(({ type, encoding, body, cut }) => ({
      method: 'POST',
      path,
      headers: { 'content-type': type, 'content-encoding': encoding },
      body: cut % 2 === 0 ? [body] : [body.subarray(0, cut), body.subarray(cut), Buffer.alloc(0)],
    }));
}

/** A call with invalid or missing headers. */
export function anyHeaders(headers: Headers): fc.Arbitrary<RawRequest> {
  const { authorization = '', apikey = '' } = headers;
  const value = (right: string) =>
    fc.oneof(
      headerText,
      fc.constantFrom(
        right,
        `${right} `,
        right.slice(0, -1),
        right.toUpperCase(),
        `${right}, ${right}`,
        'Bearer',
        'Bearer ',
        'Bearer a.b.c',
      ),
      // A well-formed token with other content and without a valid signature.
      fc.tuple(anyJson, anyJson).map((parts) => {
        const encoded = parts.map((part) => Buffer.from(part).toString('base64url').slice(0, 2000));
        return `Bearer ${encoded.join('.')}.AAAA`;
      }),
    );
  const call = fc.constant({ method: 'GET', path: '/list-user-datasets' });
  const nonsense = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'),
    path: fc.oneof(
      fc.constantFrom(
        '/get-user-dataset?user_dataset_id=x',
        '/create-user-dataset',
        '/nowhere',
        '/%',
        '/%ff',
      ),
      fc.stringMatching(/^\/[!-~]{0,20}$/),
    ),
  });
  const sent = fc.record({
    authorization: value(authorization),
    apikey: value(apikey),
    'x-request-id': fc.oneof(headerText, fc.stringMatching(/^[\w.:-]{1,128}$/)),
  });
  return fc.tuple(fc.oneof(call, nonsense), sent).map(([what, how]) => ({ ...what, headers: how }));
}

/** Malformed HTTP. */
export const anyBytes: fc.Arbitrary<Buffer> = fc
  .record({
    line: fc.oneof(
      fc.constantFrom(
        'GET /healthz HTTP/1.1',
        'GET / HTTP/9.9',
        'POST /create-user-dataset HTTP/1.1',
        'get / HTTP/1.1',
        'GET /\0 HTTP/1.1',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    lines: fc.array(
      fc.oneof(
        fc.constantFrom(
          'Content-Length: x',
          'Content-Length: -1',
          'Transfer-Encoding: nonsense',
          'Transfer-Encoding: chunked',
          ': a',
          'APIKey: \0',
          `X: ${'x'.repeat(20_000)}`,
        ),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ),
      { maxLength: 3 },
    ),
    body: someBytes,
  })
  .map(({ line, lines, body }) =>
    Buffer.concat([
      Buffer.from(`${[line, 'Host: x', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`),
      body,
      Buffer.from('\r\n\r\n'),
    ]),
  );
