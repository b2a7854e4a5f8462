import type { AccountContents } from '../accounts/contents.ts';
import { removeImportFiles } from './remove-import-files.ts';

export const account: AccountContents = { removeFiles: removeImportFiles };
