import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import { bytesOf } from './objects-bytes.ts';

/** Started by objects-folder.test.ts as a separate process, to be killed during a put. */
const store = await openFolderStore({ root: process.argv[2] ?? '' });

async function* endless() {
  yield* bytesOf(20_000_000);
  console.log('writing');
  await sleep(60_000);
}

await store.put('never/whole.bin', endless());
