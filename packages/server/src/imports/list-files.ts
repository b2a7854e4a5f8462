import { JobError } from '../jobs/engine/job-error.ts';
import { isKey } from '../kernel/objects/checks.ts';
import { isAbsent } from '../kernel/objects/error.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { ImportFile } from './protocol.ts';
import { plainText } from './rejected.ts';

/** Where the files that an account imports are, in the object store. */
export const importFolder = (accountId: string) => `imports/${accountId}/`;

/** The list is kept in memory, and each file takes a second or more. */
const maxFiles = 10_000;

/** The files of an import, in byte order of their names. An account reaches only what is in its own folder. */
export async function listFiles(
  store: Pick<ObjectStore, 'list' | 'size'>,
  accountId: string,
  path: string,
  signal: AbortSignal,
): Promise<ImportFile[]> {
  const folder = importFolder(accountId);
  const files = path.endsWith('/')
    ? await listFolder(store, folder, path, signal)
    : await findFile(store, folder, path, signal);
  if (files.length > 0) return files;
  throw new JobError(
    'NO_FILES',
    `There is no file ${folder}${path}${path.endsWith('/') ? '…' : ''} in the object store of the service. Copy your files there, and submit the job again.`,
  );
}

async function findFile(
  store: Pick<ObjectStore, 'size'>,
  folder: string,
  path: string,
  signal: AbortSignal,
): Promise<ImportFile[]> {
  try {
    const object_key = `${folder}${path}`;
    return [{ object_key, path, size: await store.size(object_key, { signal }) }];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function listFolder(
  store: Pick<ObjectStore, 'list'>,
  folder: string,
  path: string,
  signal: AbortSignal,
): Promise<ImportFile[]> {
  const files: ImportFile[] = [];
  let after: string | undefined;
  do {
    const { objects, next } = await store.list(`${folder}${path}`, { after, signal });
    for (const { key, size } of objects) {
      const file = { object_key: key, path: key.slice(folder.length), size };
      if (isKey(key)) files.push(file);
      // Other tools leave empty markers, such as _SUCCESS.
      else if (size > 0)
        throw new JobError(
          'FILE_INVALID',
          `${plainText(file.path)}: use only lower-case letters, digits, _ and -, and an extension such as .csv. Rename the file, and submit the job again.`,
        );
    }
    if (files.length > maxFiles)
      throw new JobError(
        'TOO_MANY_FILES',
        `The folder ${path} has more than ${maxFiles.toLocaleString('en')} files. Import its subfolders one by one, or merge small files.`,
      );
    after = next;
  } while (after !== undefined);
  return files;
}
