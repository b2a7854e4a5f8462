/** What one of the paths of the sign-in answers, which are not operations of the API. Null if nobody is signed in. */
export async function readJson<T>(path: string, signal: AbortSignal): Promise<T | null> {
  const response = await fetch(path, { signal, headers: { Accept: 'application/json' } });
  if (response.status === 401) return null;
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

async function refusal(response: Response): Promise<Error> {
  const problem = (await response.json().catch(() => null)) as { readonly detail?: unknown } | null;
  const detail = problem?.detail;
  return new Error(
    typeof detail === 'string' ? detail : `The server responded with status ${response.status}.`,
  );
}
