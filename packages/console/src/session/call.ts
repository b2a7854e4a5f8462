/** A refusal of one of the sign-in calls, which are not operations of the API. */
class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function readJson<T>(
  path: string,
  options: { signal: AbortSignal; ifUnauthenticated: null },
): Promise<T | null>;
export async function readJson<T>(path: string, options: { signal: AbortSignal }): Promise<T>;
export async function readJson<T>(
  path: string,
  { signal, ifUnauthenticated }: { signal: AbortSignal; ifUnauthenticated?: null },
): Promise<T | null> {
  const response = await fetch(path, { signal, headers: { Accept: 'application/json' } });
  if (response.status === 401 && ifUnauthenticated === null) return null;
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

export async function postJson(path: string, body: object): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await refusal(response);
}

async function refusal(response: Response): Promise<SignInError> {
  const problem: unknown = await response.json().catch(() => null);
  const detail =
    typeof problem === 'object' && problem !== null && 'detail' in problem ? problem.detail : undefined;
  const message =
    typeof detail === 'string' ? detail : `The server responded with status ${response.status}.`;
  return new SignInError(response.status, message);
}
