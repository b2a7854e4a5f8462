import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { timeOfId } from '../http/ids.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import { getProject } from '../projects/get-project.ts';
import { findAnswer } from './log/find-answer.ts';
import { dayMs, dayOf } from './log/keys.ts';
import { splitVariantKey } from './log/variant-key.ts';

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
