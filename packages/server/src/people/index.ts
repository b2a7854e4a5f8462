import type { Module } from '../module.ts';

/** People, their sessions and sign-ins, and the pages of the console. */
export const people = {
  name: 'people',
  tables: ['people', 'identities', 'console_sessions', 'sign_in_links'],
  api: async () => (await import('./api.ts')).api,
  http: async () => (await import('./http.ts')).http,
  admin: {
    'create-person': async () => (await import('./create-person.ts')).createPersonCommand,
  },
  started: async () => (await import('./create-person.ts')).inviteFirstOwner,
  tasks: [
    {
      name: 'remove old sessions',
      // They are refused as soon as they expire, so a few minutes more do not matter.
      pauseMs: 5 * 60_000,
      open: async () => (await import('./sessions.ts')).purgeSessions,
    },
  ],
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
