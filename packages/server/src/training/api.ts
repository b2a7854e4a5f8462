import type { Handlers } from '../http/handlers.ts';
import { checkTraining } from './check/check-training.ts';

export const api = () =>
  ({ checkTraining: async (call, request) => checkTraining(call, request) }) as const satisfies Handlers;
