import { setTimeout as sleep } from 'node:timers/promises';

export default async ({ ms = 0, throws, exits }: { ms?: number; throws?: string; exits?: boolean }) => {
  if (throws !== undefined) throw new Error(throws);
  if (exits) process.exit();
  await sleep(ms);
  return { result: 'done', transfer: [] };
};
