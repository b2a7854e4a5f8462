import type { Module } from '../module.ts';

/** Accounts, their plans, and how they end. */
export const accounts = {
  name: 'accounts',
  tables: ['accounts', 'account_deletions', 'plans'],
  tasks: [
    {
      name: 'delete an account',
      pauseMs: 1000,
      open: async () => (await import('./delete-account.ts')).deleteAccounts,
    },
  ],
} satisfies Module;
