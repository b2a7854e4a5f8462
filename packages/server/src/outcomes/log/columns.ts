import type { DegradedPart } from '@tastegraph/contract';

/** An answer of a recommendation call, as the decision log keeps it. */
export interface LoggedAnswer {
  readonly recommendation_id: string;
  readonly account_id: string;
  readonly project_id: string;
  /** When it was given: the time in its ID. */
  readonly ts: number;
  /** The name of the operation. */
  readonly question: string;
  readonly scenario: string;
  readonly scenario_version: number | null;
  /** The variant of an experiment. */
  readonly variant: string | null;
  readonly model_id: string | null;
  readonly ranker_model_id: string | null;
  readonly user_id: string | null;
  /** Given to a person who tried it out in the console: it has no outcomes, and takes none from other answers. */
  readonly is_trial: boolean;
  readonly item_ids: readonly string[];
  readonly detail: AnswerDetail;
}

/** What only a reader of the answer needs: one column of JSON. Lists are by position, as `item_ids`. */
export interface AnswerDetail {
  readonly scores: readonly number[];
  /** Absent if no rule affected any item. */
  readonly rules?: readonly (readonly unknown[])[];
  /** Absent if the call did not ask for them. */
  readonly reasons?: readonly (readonly unknown[] | null)[];
  readonly degraded: readonly DegradedPart[];
  /** The fields of the call that decide which items it returns. Null if they are too long to keep. */
  readonly request: Readonly<Record<string, unknown>> | null;
}

/** The columns of a batch, as a serving process writes it: `item_ids` and `detail` are JSON. */
export const batchColumns = [
  { name: 'account_id', type: 'STRING', nullable: false },
  { name: 'project_id', type: 'STRING', nullable: false },
  { name: 'recommendation_id', type: 'STRING', nullable: false },
  { name: 'ts', type: 'INT64', nullable: false },
  { name: 'question', type: 'STRING', nullable: false },
  { name: 'scenario', type: 'STRING', nullable: false },
  { name: 'scenario_version', type: 'INT32', nullable: true },
  { name: 'variant', type: 'STRING', nullable: true },
  { name: 'model_id', type: 'STRING', nullable: true },
  { name: 'ranker_model_id', type: 'STRING', nullable: true },
  { name: 'user_id', type: 'STRING', nullable: true },
  { name: 'is_trial', type: 'BOOLEAN', nullable: false },
  { name: 'item_ids', type: 'STRING', nullable: false },
  { name: 'detail', type: 'STRING', nullable: false },
] as const satisfies readonly { name: keyof LoggedAnswer; type: string; nullable: boolean }[];

/** SQL: the columns of a project's file, from a batch. */
export const fileColumns = `recommendation_id, ts, question, scenario, scenario_version, variant, model_id, ranker_model_id,
  user_id, is_trial, from_json(item_ids, '["VARCHAR"]') AS item_ids, detail`;
