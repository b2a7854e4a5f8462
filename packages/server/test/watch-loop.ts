const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

/**
 * The result of `work`, the most CPU milliseconds of one event-loop iteration meanwhile, and those of all iterations.
 * CPU time, since the machine may be busy.
 */
export async function watchLoop<T>(
  work: () => Promise<T>,
): Promise<{ result: T; worstMs: number; totalMs: number }> {
  const start = milliseconds(process.threadCpuUsage());
  let last = start;
  let worstMs = 0;
  const measure = () => {
    const now = milliseconds(process.threadCpuUsage());
    worstMs = Math.max(worstMs, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  try {
    const result = await work();
    measure();
    return { result, worstMs, totalMs: last - start };
  } finally {
    clearInterval(timer);
  }
}
