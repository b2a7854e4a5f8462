import type { HttpPart } from '../http/part.ts';
import { recordChange } from './record-change.ts';

export const http = (): HttpPart => ({ around: recordChange });
