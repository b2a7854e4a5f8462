import { onTestFinished } from 'vitest';
import type { TestApi } from './api.ts';
import { connectTo } from './database.ts';
import { placeOf } from './kinds.ts';
import type { TestProject } from './training.ts';

/** Locks the table of a project's events until it is released or the test ends: nobody can read them. */
export async function lockEvents(api: TestApi, { event_dataset_id }: Pick<TestProject, 'event_dataset_id'>) {
  const { partition } = await placeOf(api.db, event_dataset_id);
  const holder = await connectTo(api.databaseUrl);
  onTestFinished(() => holder.end());
  const table = `events_p${String(partition).padStart(2, '0')}`;
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return { release: () => holder.query('ROLLBACK') };
}
