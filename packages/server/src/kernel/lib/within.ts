export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
}

/**
 * Resolves with the result of `work`, or rejects with `DeadlineExceededError` after the time limit. With no time left, only work that is
 * already done succeeds. The work itself continues: to stop it, pass it a signal (see `kernel/objects/step.ts`).
 */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeadlineExceededError(`timed out after ${limitMs} ms`)),
      Math.max(1, limitMs),
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
