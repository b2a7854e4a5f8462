import { readFile } from 'node:fs/promises';

/** The current resident memory of a process. */
export const residentBytes = (pid: number) => read(pid, 'VmRSS');

/** The peak resident memory of a process. */
export const peakBytes = (pid: number) => read(pid, 'VmHWM');

async function read(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}
