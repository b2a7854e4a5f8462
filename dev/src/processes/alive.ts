import { readFile } from 'node:fs/promises';

export async function isGone(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  // In a container without a proper process 1, orphans stay as zombies for ever: they hold nothing any more.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.includes(') Z ');
}
