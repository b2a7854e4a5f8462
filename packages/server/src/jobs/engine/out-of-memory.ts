/** Messages of V8 and our kernels for failed allocations. */
const exhausted =
  /allocation failed|Invalid (?:typed )?array (?:buffer )?length|Memory\.grow|grow (?:instance )?memory|reaches 4 GiB/i;

/** Whether a kernel needs more than it can address, however much memory there is. */
export const isBeyondKernel = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('reaches 4 GiB');

/**
 * Whether the thread's heap, an array or a kernel ran out of memory. A container that is killed for memory leaves no
 * error.
 */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    (error.name === 'RangeError' && exhausted.test(error.message))
  );
}
