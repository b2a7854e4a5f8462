import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import {
  type ErrorCode,
  endpoints,
  errorCodes,
  type OperationName,
  operationNames,
  operations,
} from '@tastegraph/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import { TokenError, TokenResponse } from '../../../../contract/src/concepts/api-keys.ts';
import { Problem } from '../../../../contract/src/errors.ts';

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Several pieces are sent chunked. */
  readonly body?: readonly Buffer[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends what fetch would refuse to send: any method, header and bytes. */
export async function send(
  baseUrl: string,
  { method, path, headers, body = [] }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body.length === 1 ? { 'content-length': String(body[0]?.length) } : {};
    const sent = request(baseUrl, { method, path, agent, headers: { ...length, ...headers } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    sent.on('error', reject);
    for (const piece of body) sent.write(piece);
    sent.end();
  });
}

/** Sends bytes that need not be HTTP, and reads until the server ends the connection. */
export async function sendBytes(baseUrl: string, bytes: Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const text = await new Promise<string>((resolve, reject) => {
    let read = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
    socket.on('data', (piece: string) => {
      read += piece;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(read));
  });
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.slice(line.indexOf(':') + 2)]);
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers) as IncomingHttpHeaders,
    text: rest.join('\r\n\r\n'),
  };
}

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
ajv.addVocabulary(['x-error-code', 'x-records']);
const isProblem = ajv.compile<{ status: number; code: ErrorCode; request_id: string }>(Problem);
const isToken = ajv.compile(TokenResponse);
const isTokenError = ajv.compile<{ error: string; error_description: string }>(TokenError);
const responses = new Map<OperationName, ValidateFunction>(
  operationNames.map((name) => [name, ajv.compile(operations[name].response as object)]),
);
/** RFC 6749, section 5.2, allows these characters in error_description. */
const descriptionCharacters = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** Describes what is wrong with a response to any request, or returns undefined. */
export function findProblem(answer: RawAnswer, name?: OperationName): string | undefined {
  if (answer.status === 200) {
    const isSound = name && responses.get(name);
    return !isSound || isSound(JSON.parse(answer.text)) ? undefined : `the answer is not the contract's`;
  }
  if (answer.status < 400 || answer.status >= 500) return `status ${answer.status}`;
  const type = answer.headers['content-type'] ?? '';
  if (!type.startsWith('application/problem+json')) return `content type ${type}`;
  const problem: unknown = JSON.parse(answer.text);
  if (!isProblem(problem)) return 'the problem is not of its schema';
  if (problem.status !== answer.status) return 'the status is not that of the answer';
  if (errorCodes[problem.code].status !== problem.status) return 'the status is not that of the code';
  if (problem.request_id !== answer.headers['x-request-id'])
    return 'the request_id is not that of the header';
  return undefined;
}

/** Like findProblem, for the token endpoint: RFC 6749 has no error for too many requests. */
export function findTokenProblem(answer: RawAnswer): string | undefined {
  if (answer.status === 429) return findProblem(answer);
  const body: unknown = JSON.parse(answer.text);
  if (answer.status === 200) return isToken(body) ? undefined : 'not a token';
  if (answer.status !== 400 && answer.status !== 401) return `status ${answer.status}`;
  if (!isTokenError(body)) return 'not an error of RFC 6749';
  if (!descriptionCharacters.test(body.error_description)) return 'characters that RFC 6749 does not allow';
  if ((body.error === 'invalid_client') !== (answer.status === 401))
    return `${body.error} with ${answer.status}`;
  return undefined;
}

/** The operations that the server lists in /openapi.json. */
export async function listRegistered(baseUrl: string): Promise<OperationName[]> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { paths: object };
  return operationNames.filter((name) => Object.hasOwn(document.paths, endpoints[name][1]));
}
