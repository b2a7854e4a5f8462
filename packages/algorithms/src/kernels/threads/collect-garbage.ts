/** Frees what the thread no longer refers to. V8 does not count shared memory, so gigabytes of it could stay. Never throws. */
export async function collectGarbage(): Promise<void> {
  try {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    try {
      session.connect();
      await session.post('HeapProfiler.collectGarbage');
    } finally {
      session.disconnect();
    }
  } catch {
    // Node.js may have no inspector, or not permit it: the memory then stays until the thread ends.
  }
}
