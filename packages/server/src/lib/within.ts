export class Overdue extends Error {
  override readonly name = 'Overdue';
}

/**
 * What `work` comes to, or an error when that takes longer than so many milliseconds; with none left, unless it is done at once.
 * The work itself goes on.
 */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Overdue(`not done within ${limitMs} ms`)), Math.max(1, limitMs));
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
