/** Of the thread's heap, or of an array that the machine has no room for. A container that is killed for it says nothing. */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    (error instanceof RangeError && /allocation failed|Invalid typed array length/.test(error.message))
  );
}
