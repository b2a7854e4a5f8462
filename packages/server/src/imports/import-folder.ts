/** Where the files that an account imports are, in the object store. */
export const importFolder = (accountId: string) => `imports/${accountId}/`;
