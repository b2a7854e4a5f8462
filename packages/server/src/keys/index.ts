import type { Module } from '../module.ts';

/** API keys, write keys and tokens. */
export const keys = {
  name: 'keys',
  tables: ['api_keys', 'signing_keys'],
  api: async () => (await import('./api.ts')).api,
  http: async () => (await import('./http.ts')).http,
  account: async () => (await import('./account.ts')).account,
} satisfies Module;
