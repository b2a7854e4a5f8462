import type { HttpPart } from '../http/part.ts';
import type { Services } from '../services.ts';
import { serveSegment } from './sources/segment.ts';

/** Accepts messages of Segment's clients, in processes of the API. */
export const http = ({ role, metrics }: Services): HttpPart =>
  role === 'serving' ? {} : { surface: (app, door) => serveSegment(app, door, metrics) };
