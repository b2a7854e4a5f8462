import { readFile } from 'node:fs/promises';

/** What a process takes now. */
export const residentBytes = (pid: number) => read(pid, 'VmRSS');

/** The most that it ever took. */
export const peakBytes = (pid: number) => read(pid, 'VmHWM');

async function read(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}
