import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { orphanJobParts } from './rows/parts.ts';

const partsPerStep = 20;

/** Orphans the files of jobs that ended without publishing them. */
export function orphanParts({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => {
    await orphanJobParts(db, partsPerStep);
    return false;
  };
}
