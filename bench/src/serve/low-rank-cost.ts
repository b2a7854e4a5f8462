import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@tastegraph/algorithms';
import { decodeModel, encodeModel } from '@tastegraph/algorithms/g1';
import type { BenchEnvironment } from '../environment.ts';
import { measureProjectCost } from './measure-cost.ts';
import type { Prepared } from './prepare.ts';
import type { Sizes } from './sizes.ts';

/**
 * The rate of calls to a model with a low-rank part, compared with the same model without. The factors are random: whether the search
 * would choose them depends on the data, and what they cost does not.
 */
export async function measureLowRankCost(
  { service, admin, objectsFolder }: BenchEnvironment,
  { plain, factored }: { readonly plain: Prepared; readonly factored: Prepared },
  { rank, ...rounds }: Sizes['lowRank'],
) {
  await setFactors(admin, objectsFolder, plain, 0);
  await setFactors(admin, objectsFolder, factored, rank);
  return measureProjectCost(service, `${rank} factors per item`, { on: factored, off: plain }, rounds);
}

/** Replaces the file of the project's model by one with this many factors per item. */
async function setFactors(
  admin: BenchEnvironment['admin'],
  objectsFolder: string,
  { project_id }: Prepared,
  rank: number,
): Promise<void> {
  const { rows } = await admin.query<{ model_id: string; object_key: string }>(
    'SELECT model_id, object_key FROM models JOIN projects USING (project_key) WHERE project_id = $1',
    [project_id],
  );
  const { model_id = '', object_key = '' } = rows[0] ?? {};
  const file = join(objectsFolder, object_key);
  const { model, catalogue } = decodeModel(await readFile(file));
  const random = seededRandom(1);
  const scales = () => new Float32Array(rank > 0 ? model.items : 0).fill(1e-6);
  const lowRank = {
    rank,
    factor: Int8Array.from({ length: rank * model.items }, () => Math.round(254 * (random() - 0.5))),
    source: scales(),
    target: scales(),
  };
  const bytes = Buffer.concat([...encodeModel({ ...model, lowRank }, catalogue)]);
  await writeFile(file, bytes);
  await admin.query('UPDATE models SET object_size = $2, object_sha256 = $3 WHERE model_id = $1', [
    model_id,
    bytes.length,
    createHash('sha256').update(bytes).digest('hex'),
  ]);
}
