import { type Duck, readFiles } from '../../kernel/files/duckdb.ts';
import { dayMs } from '../log/keys.ts';
import { isSigned, type signingValues } from '../log/signed-ids.ts';
import { type OutcomeRow, outcomeSums, type VisitRow, visitSums } from '../rows/outcomes.ts';

/** Users are split into so many groups by a hash of their ID. The spread between groups gives the intervals of sums. */
const userGroups = 64;

/** SQL: the group of a user; calls and events of one user are always in the same one. */
const groupOf = (id: string) => `(md5_number_lower(${id}) % ${userGroups})::INTEGER`;

/** SQL: each sum as a list with one number per group. */
const listsOf = (sums: readonly string[]) =>
  sums.map((name) => `list(coalesce(${name}, 0) ORDER BY user_group) AS ${name}`).join(', ');

export interface AttributedDay {
  /** Path of the file of attributions. */
  readonly path: string;
  /** The days of the answers in it. */
  readonly answerDays: readonly number[];
  /** With and without an answer. */
  readonly visits: readonly Omit<VisitRow, 'day'>[];
}

interface EventDay {
  /** Files with the answers that the loaded events may follow. */
  readonly answerPaths: readonly string[];
  readonly hours: number;
  readonly signing: ReturnType<typeof signingValues>;
  readonly path: string;
}

/**
 * Attributes the loaded events of a day: to the answer that the event names, or else to the user's last answer. Either way, the
 * answer held the item for this user, at most `hours` before: an ID alone proves nothing, since others may have seen it, and a signed one must be signed for this user. Writes
 * one row per answer: the same rows for the same events and answers.
 */
export async function attributeEvents(duck: Duck, day: EventDay): Promise<AttributedDay> {
  const { answerPaths, hours, signing, path } = day;
  await duck.run(
    answerPaths.length === 0
      ? 'CREATE OR REPLACE VIEW answers AS SELECT NULL::VARCHAR AS recommendation_id, NULL::VARCHAR AS user_id, 0::BIGINT AS ts, []::VARCHAR[] AS item_ids WHERE false'
      : `CREATE OR REPLACE VIEW answers AS SELECT recommendation_id, user_id, ts, item_ids FROM ${readFiles(answerPaths)} WHERE NOT is_trial`,
  );
  // Anybody may have got an answer without a user. A condition on answers alone would be checked for all of them, before the join.
  await duck.run(
    `CREATE OR REPLACE TABLE named AS SELECT e.n, a.recommendation_id, a.ts
    FROM events e JOIN answers a ON a.recommendation_id = e.recommendation_id
    WHERE coalesce(a.user_id, e.user_id) = e.user_id AND list_contains(a.item_ids, e.item_id)
      AND e.ts - a.ts BETWEEN 0 AND ${hours * 3600_000} AND ${isSigned('e.recommendation_id', 'a.user_id')}`,
    signing,
  );
  await duck.run(`CREATE OR REPLACE TABLE shown AS SELECT user_id, item_id, ts, max(recommendation_id) AS recommendation_id
    FROM (SELECT user_id, unnest(item_ids) AS item_id, ts, recommendation_id FROM answers
      WHERE user_id IN (SELECT user_id FROM events))
    GROUP BY user_id, item_id, ts`);
  await duck.run(`CREATE OR REPLACE TABLE attributed AS
    SELECT e.*, coalesce(named.recommendation_id, s.recommendation_id) AS answer, coalesce(named.ts, s.ts) AS answer_ts
    FROM events e
    LEFT JOIN named ON named.n = e.n
    LEFT JOIN (
      SELECT e.n, s.recommendation_id, s.ts FROM events e
        ASOF JOIN shown s ON e.user_id = s.user_id AND e.item_id = s.item_id AND e.ts >= s.ts
        WHERE e.ts - s.ts <= ${hours * 3600_000}
    ) s ON s.n = e.n`);
  await duck.run(`COPY (
      SELECT answer AS recommendation_id, (any_value(answer_ts) // ${dayMs})::INTEGER AS day, count(*) AS events,
        count(*) FILTER (WHERE is_target) AS target_events,
        coalesce(round(fsum(event_value) FILTER (WHERE is_target), 6), 0) AS value, min(ts) AS first_ts,
        coalesce(list({'ts': ts, 'value': coalesce(event_value, 0)} ORDER BY ts, n) FILTER (WHERE is_target), []) AS targets
      FROM attributed WHERE answer IS NOT NULL GROUP BY answer ORDER BY answer
    ) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
  const days = await duck.rows<{ day: number }>(`SELECT DISTINCT day FROM ${readFiles([path])} ORDER BY day`);
  const visits = await duck.rows<AttributedDay['visits'][number]>(`WITH visits AS (
      SELECT answer IS NOT NULL AS is_recommended, user_id, item_id, count(*) FILTER (WHERE is_target) AS targets,
        coalesce(fsum(event_value) FILTER (WHERE is_target), 0) AS value
      FROM attributed GROUP BY ALL
    ), sums AS (
      SELECT is_recommended, ${groupOf('user_id')} AS user_group, count(*)::DOUBLE AS visits,
        count(*) FILTER (WHERE targets > 0)::DOUBLE AS converted, sum(targets)::DOUBLE AS target_events,
        round(fsum(value), 6) AS value
      FROM visits GROUP BY ALL
    ), every AS (
      SELECT is_recommended, unnest(range(${userGroups}))::INTEGER AS user_group FROM (VALUES (false), (true)) AS v(is_recommended)
    )
    SELECT is_recommended, ${listsOf(visitSums)} FROM every LEFT JOIN sums USING (is_recommended, user_group)
    GROUP BY is_recommended`);
  return { path, answerDays: days.map(({ day: one }) => one), visits };
}

/** The outcomes of a day's answers, by scenario, model and variant. Answers without a user count as users of their own. */
export async function countOutcomes(
  duck: Duck,
  { answerPaths, attributionPaths }: { answerPaths: readonly string[]; attributionPaths: readonly string[] },
): Promise<Omit<OutcomeRow, 'day'>[]> {
  if (answerPaths.length === 0) return [];
  const attributions =
    attributionPaths.length === 0
      ? 'SELECT NULL::VARCHAR AS recommendation_id, 0 AS target_events, 0::DOUBLE AS value WHERE false'
      : `SELECT recommendation_id, sum(target_events) AS target_events, fsum(value) AS value
          FROM ${readFiles(attributionPaths)} GROUP BY recommendation_id`;

  return duck.rows(`WITH found AS (${attributions}), sums AS (
      SELECT scenario, coalesce(model_id, '') AS model_id, coalesce(variant, '') AS variant,
        ${groupOf('coalesce(user_id, recommendation_id)')} AS user_group, count(*)::DOUBLE AS answers,
        count(found.recommendation_id)::DOUBLE AS clicked, count(*) FILTER (WHERE found.target_events > 0)::DOUBLE AS converted,
        coalesce(sum(found.target_events), 0)::DOUBLE AS target_events, coalesce(round(fsum(found.value), 6), 0) AS value
      FROM ${readFiles(answerPaths)} LEFT JOIN found USING (recommendation_id) WHERE NOT is_trial GROUP BY ALL
    ), every AS (
      SELECT DISTINCT scenario, model_id, variant, unnest(range(${userGroups}))::INTEGER AS user_group FROM sums
    )
    SELECT scenario, model_id, variant, ${listsOf(outcomeSums)}
    FROM every LEFT JOIN sums USING (scenario, model_id, variant, user_group)
    GROUP BY scenario, model_id, variant ORDER BY scenario, model_id, variant`);
}
