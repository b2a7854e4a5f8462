import type { HttpPart } from '../http/part.ts';
import type { Services } from '../services.ts';
import { openDownloads } from './downloads/downloads.ts';
import { createIsHolder, serveDownloads } from './downloads/serve-downloads.ts';

/** Serves the files of results, in processes of the API. */
export async function http({ role, config, db, store, stopping }: Services): Promise<HttpPart> {
  if (role === 'serving') return {};
  const downloads = await openDownloads(db, store, config.baseUrl);
  return { surface: (app) => serveDownloads(app, downloads, createIsHolder(db), stopping) };
}
