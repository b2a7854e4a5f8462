import { findAnswer } from '../../storage/decisions/find-answer.ts';
import { dayMs, dayOf } from '../../storage/decisions/keys.ts';
import { splitVariantKey } from '../../storage/decisions/variant-key.ts';
import type { ObjectStore } from '../../storage/objects/store.ts';
import { ApiError } from '../api-error.ts';
import type { Context } from '../context.ts';
import { timeOfId } from '../ids.ts';
import { getProject } from '../project/get-project.ts';

type StoredAnswer = NonNullable<Awaited<ReturnType<typeof findAnswer>>>;

/** Where answers are kept, and for how long. */
export interface DecisionLogReader {
  readonly store: Pick<ObjectStore, 'read' | 'list'>;
  readonly keptDays: number;
}

interface GivenAnswer extends StoredAnswer {
  readonly expires_ts: number;
  readonly experiment_id: string | null;
}

/** An answer of the project as it was given, and when it expires. */
export async function getRecommendation(
  { store, keptDays }: DecisionLogReader,
  ctx: Context,
  projectId: string,
  recommendationId: string,
): Promise<GivenAnswer> {
  await getProject(ctx, projectId);
  const ts = timeOfId(recommendationId);
  const { db, accountId } = ctx;
  // A file may outlive its last day by a moment.
  const isKept = dayOf(ts) >= dayOf(Date.now()) - keptDays;
  const answer = isKept
    ? await findAnswer({ db, store }, { accountId, projectId, recommendationId, ts })
    : undefined;
  if (!answer)
    throw new ApiError(
      'NOT_FOUND',
      `Recommendation \`${recommendationId}\` was not found in this project. An answer can be read a few seconds after it was given, and for ${keptDays} days.`,
    );
  return { ...answer, ...splitVariantKey(answer.variant), expires_ts: (dayOf(ts) + keptDays + 1) * dayMs };
}
