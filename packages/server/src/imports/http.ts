import type { HttpPart } from '../http/part.ts';
import type { Services } from '../services.ts';

/** Accepts messages of Segment's clients, in processes of the API. */
export async function http({ role, metrics }: Services): Promise<HttpPart> {
  if (role === 'serving') return {};
  // Imported only here, because every role loads this file.
  const { serveSegment } = await import('./segment.ts');
  return { surface: (app, door) => serveSegment(app, door, metrics) };
}
