import { readFile } from 'node:fs/promises';

export async function hasExited(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  // In a container without an init process, exited orphans stay as zombies.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.includes(') Z ');
}
