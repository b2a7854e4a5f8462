import type { Module } from '../module.ts';

/** Removes everything about a user. */
export const erasure = {
  name: 'erasure',
  tables: ['erasures'],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    {
      name: 'erase a user',
      // How soon an idle worker notices an erasure.
      pauseMs: 1000,
      open: async () => (await import('./erase-users.ts')).eraseUsers,
    },
  ],
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
