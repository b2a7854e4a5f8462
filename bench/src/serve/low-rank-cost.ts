import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@tastegraph/algorithms';
import { decodeModel, encodeModel } from '@tastegraph/algorithms/g1';
import type { BenchEnvironment } from '../environment.ts';
import { percentile } from '../report.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { compareRates, type Rounds, rateRow, ratioGoals } from './compare-rates.ts';
import { flood, type Target } from './load.ts';
import type { Prepared } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';

interface LowRankCost extends Rounds {
  readonly limit: number;
  /** Factors per item. */
  readonly rank: number;
  readonly goal?: number;
}

const path = '/recommend-items-to-user';

/**
 * The rate of calls to a model with a low-rank part, compared with the same model without. One serving process answers both. The factors
 * are random: whether the search would choose them depends on the data, and what they cost does not.
 */
export async function measureLowRankCost(
  { service: cell, admin, objectsFolder }: BenchEnvironment,
  { plain, factored }: { readonly plain: Prepared; readonly factored: Prepared },
  { connections, seconds, pairs, limit, rank, goal }: LowRankCost,
) {
  await setFactors(admin, objectsFolder, plain, 0);
  await setFactors(admin, objectsFolder, factored, rank);
  await using service = await cell.startAnother('serving');
  const headers = await service.headersFor(path);
  const wayOf = ({ project_id, users, attributes }: Prepared) => {
    const request: Target['request'] = (n) =>
      encodeRequest(path, headers, { project_id, user_id: users[n % users.length], limit, attributes });
    return { pid: service.pid, target: { port: service.port, request } };
  };
  const ways = [wayOf(factored), wayOf(plain)] as const;
  for (const { target } of ways) {
    await callUntilLoaded(target);
    await flood(target, connections, Math.max(5, seconds));
  }
  const { first: on, second: off, ratios } = await compareRates(...ways, { connections, seconds, pairs });
  const ratio = percentile(ratios, 50);
  return {
    table: {
      title: `${plain.name}: with and without ${rank} factors per item (quartiles of the ratio: ${percentile(ratios, 25).toFixed(3)} to ${percentile(ratios, 75).toFixed(3)})`,
      rows: [rateRow('with', on), rateRow('without', off)],
    },
    goals: ratioGoals(`${plain.name}: with ${rank} factors per item`, ratio, goal),
    figures: { ratio, ratios, rank, cpuMs: { on: percentile(on.cpuMs, 50), off: percentile(off.cpuMs, 50) } },
  };
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
