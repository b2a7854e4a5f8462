import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hooks } from '../../http/hooks.ts';
import { type Duck, withDuck } from '../../kernel/files/duckdb.ts';
import { uploadFile } from '../../kernel/files/local-files.ts';
import { deleteOrphanedObjects } from '../../kernel/objects/orphaned-objects.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { Database, Transaction } from '../../kernel/postgres/pool.ts';
import { requireSecret } from '../../kernel/postgres/secrets.ts';
import { dayMs, dayOf, newFileKey } from '../log/keys.ts';
import { idSecretName, signingValues } from '../log/signed-ids.ts';
import { abandonDecisionFiles, announceDecisionFiles, type DecisionFile } from '../rows/decision-files.ts';
import { finishOutcomeState, type OutcomeState, takeChangedDays } from '../rows/outcome-states.ts';
import {
  type AttributionFile,
  listAttributionFiles,
  listCountedAnswers,
  listProjectFiles,
  type OutcomeRow,
  replaceAttributionFiles,
  replaceOutcomes,
  replaceVisits,
  type VisitRow,
} from '../rows/outcomes.ts';
import { attributeEvents, countOutcomes } from './attribute-events.ts';
import type { Attributed } from './attributed.ts';
import { FileCopies } from './file-copies.ts';
import { copyEventsBetween, filterAnswerFiles, loadEvents } from './load-events.ts';

/** Larger than for sorting: joins hold the answers of a day or two, and spill beyond this. */
const duckOptions = { memoryMb: 1024, threads: 2 };
/** A day or two of a busy project. A run over more days reads files again, instead of filling the disk. */
const maxCopyBytes = 4 * 2 ** 30;
/** Longer than one run. Files without rows are removed after that. */
const announceSeconds = 7200;
/** How much of the time one project may take. */
export const maxShare = 0.1;

export interface OutcomesContext {
  readonly db: Database;
  readonly hooks: Hooks;
  readonly databaseUrl: string;
  readonly store: Pick<ObjectStore, 'read' | 'put'>;
  readonly stopping: AbortSignal;
  readonly keptDays: number;
  /** How often outcomes are brought up to date. */
  readonly everySeconds: number;
  /** For what other modules compute of the same files. */
  readonly attributed: Attributed;
}

/**
 * Attributes the events of the days that changed, counts the outcomes of the answers they belong to, and writes everything in
 * one transaction: a run that fails changes nothing and is repeated. Returns how many events and answers it has processed.
 */
export async function attributeProject(
  context: OutcomesContext,
  projectKey: number,
): Promise<{ readonly events: number; readonly answers: number }> {
  const { db, keptDays, everySeconds } = context;
  const startedMs = performance.now();
  const state = await db.transaction((tx) => takeChangedDays(tx, projectKey));
  if (!state) return { events: 0, answers: 0 };
  const files = await listProjectFiles(db, projectKey);
  const answers = new Map<number, number>();
  for (const { day, answers: count } of files) answers.set(day, (answers.get(day) ?? 0) + count);
  const listed = await listCountedAnswers(db, projectKey);
  const counted = new Map(listed.map(({ day, answers: count }) => [day, count]));
  const signing = signingValues(await requireSecret(db, idSecretName), state.project_id);
  const today = dayOf(Date.now());
  const { eventDays, answerDays } = findDays(state, answers, counted, { today, keptDays });
  return withDuck(duckOptions, async (duck) => {
    const run = new AttributionRun(
      context,
      state,
      duck,
      files,
      await listAttributionFiles(db, projectKey),
      signing,
    );
    try {
      for (const day of eventDays) for (const one of await run.attribute(day)) answerDays.add(one);
      // Outcomes of answers that expired stay as they are.
      for (const day of answerDays) if (day >= today - keptDays) await run.count(day);
      await run.measure(today - keptDays);
      const seconds = (performance.now() - startedMs) / 1000;
      await run.publish(answers, Math.max(everySeconds, seconds / maxShare));
      return run.figures;
    } catch (error) {
      await run.abandon();
      throw error;
    }
  });
}

/**
 * The days whose events must be attributed (again): those whose events changed, and those whose events may follow answers
 * that are new or gone. Days before the first answer are left out. `counted` are the answers that the outcomes include.
 */
function findDays(
  { changed_days, attribution_hours: hours, has_same_rules }: OutcomeState,
  answers: ReadonlyMap<number, number>,
  counted: ReadonlyMap<number, number>,
  { today, keptDays }: { readonly today: number; readonly keptDays: number },
): { eventDays: number[]; answerDays: Set<number> } {
  const changedDays = BigInt.asUintN(64, BigInt(changed_days));
  const kept = (day: number) => day >= today - keptDays && day <= today + 1;
  const answerDays = new Set(
    [...answers.keys(), ...counted.keys()].filter(
      (day) => kept(day) && (answers.get(day) ?? 0) !== (counted.get(day) ?? 0),
    ),
  );
  const first = Math.max(Math.min(...answers.keys(), ...counted.keys()), today - keptDays);
  const windowDays = Math.ceil(hours / 24);
  const eventDays: number[] = [];
  for (let day = first; day <= today + 1; day++) {
    const hasChanged = ((changedDays >> BigInt(day % 64)) & 1n) === 1n;
    const follows = Array.from({ length: windowDays + 1 }, (_, back) => day - back);
    if (!has_same_rules || hasChanged || follows.some((one) => answerDays.has(one))) eventDays.push(day);
  }
  return { eventDays, answerDays };
}

/** One run for one project. */
class AttributionRun {
  readonly #context: OutcomesContext;
  readonly #state: OutcomeState;
  readonly #duck: Duck;
  readonly #copies: FileCopies;
  readonly #decisions: readonly DecisionFile[];
  /** By event day: those of earlier runs, replaced by those of this run. */
  readonly #attributions: Map<number, AttributionFile>;
  readonly #signing: ReturnType<typeof signingValues>;
  readonly #new: AttributionFile[] = [];
  readonly #eventDays: number[] = [];
  readonly figures = { events: 0, answers: 0 };
  readonly #visits: VisitRow[] = [];
  readonly #outcomes: OutcomeRow[] = [];
  readonly #counted = new Set<number>();
  #publishOthers: (tx: Transaction) => Promise<void> = async () => undefined;

  constructor(
    context: OutcomesContext,
    state: OutcomeState,
    duck: Duck,
    decisions: readonly DecisionFile[],
    attributions: readonly AttributionFile[],
    signing: ReturnType<typeof signingValues>,
  ) {
    this.#signing = signing;
    this.#context = context;
    this.#state = state;
    this.#duck = duck;
    this.#decisions = decisions;
    this.#attributions = new Map(attributions.map((file) => [file.event_day, file]));
    const { store, stopping } = context;
    this.#copies = new FileCopies({ store, folder: duck.folder, stopping, maxBytes: maxCopyBytes });
  }

  /** Attributes the events of a day. Returns the days whose answers are affected. */
  async attribute(day: number): Promise<Set<number>> {
    const { databaseUrl, stopping, store, db } = this.#context;
    const { account_id, project_id, attribution_hours: hours, events } = this.#state;
    const eventsPath = join(this.#duck.folder, `events-${day}.csv`);
    const times = { fromTs: day * dayMs, beforeTs: (day + 1) * dayMs };
    await copyEventsBetween(databaseUrl, events, times, eventsPath, stopping);
    const span = await loadEvents(this.#duck, eventsPath, this.#state);
    await rm(eventsPath);
    const answers = span ? filterAnswerFiles(this.#decisions, span, hours) : [];
    const key = newFileKey(account_id, project_id, day);
    const attributed = await attributeEvents(this.#duck, {
      answerPaths: await this.#copies.paths(answers),
      hours,
      signing: this.#signing,
      path: join(this.#duck.folder, `attributed-${day}.parquet`),
    });
    const affected = new Set([...(this.#attributions.get(day)?.answer_days ?? []), ...attributed.answerDays]);
    this.#eventDays.push(day);
    this.figures.events += span?.events ?? 0;
    this.#visits.push(...attributed.visits.map((one) => ({ day, ...one })));
    this.#attributions.delete(day);
    if (attributed.answerDays.length > 0) {
      await announceDecisionFiles(db, [key], announceSeconds);
      const stored = await uploadFile(store, key, attributed.path, stopping);
      const file = { event_day: day, answer_days: attributed.answerDays, object_key: key, ...stored };
      this.#attributions.set(day, file);
      this.#new.push(file);
      this.#copies.add(key, attributed.path, stored.size);
    }
    return affected;
  }

  /** Counts the outcomes of the answers of a day. */
  async count(day: number): Promise<void> {
    const attributions = [...this.#attributions.values()].filter(({ answer_days }) =>
      answer_days.includes(day),
    );
    const decisions = this.#decisions.filter((file) => file.day === day);
    const paths = await this.#copies.paths([...decisions, ...attributions]);
    const rows = await countOutcomes(this.#duck, {
      answerPaths: paths.slice(0, decisions.length),
      attributionPaths: paths.slice(decisions.length),
    });
    this.#counted.add(day);
    for (const { answers } of decisions) this.figures.answers += answers;
    this.#outcomes.push(...rows.map((row) => ({ day, ...row })));
  }

  /** Has other modules compute figures of the answers since a day; those of older ones stay as they are. */
  async measure(sinceDay: number): Promise<void> {
    this.#publishOthers = await this.#context.attributed({
      db: this.#context.db,
      hooks: this.#context.hooks,
      projectKey: this.#state.project_key,
      accountId: this.#state.account_id,
      sinceTs: sinceDay * dayMs,
      duck: this.#duck,
      copies: this.#copies,
      decisions: this.#decisions,
      attributions: [...this.#attributions.values()],
    });
  }

  async publish(answers: ReadonlyMap<number, number>, afterSeconds: number): Promise<void> {
    const { project_key } = this.#state;
    const counted = new Map([...this.#counted].map((day) => [day, answers.get(day) ?? 0]));
    await this.#context.db.transaction(async (tx) => {
      // First, because it locks the project's row: runs publish one after the other.
      await finishOutcomeState(tx, this.#state, afterSeconds);
      await deleteOrphanedObjects(tx, this.#newKeys());
      await replaceAttributionFiles(tx, project_key, this.#eventDays, this.#new);
      await replaceVisits(tx, project_key, this.#visits);
      await replaceOutcomes(tx, project_key, counted, this.#outcomes);
      await this.#publishOthers(tx);
    });
  }

  /** Has the files of this run removed. */
  async abandon(): Promise<void> {
    await abandonDecisionFiles(this.#context.db, this.#newKeys()).catch(() => undefined);
  }

  #newKeys(): string[] {
    return this.#new.map(({ object_key }) => object_key);
  }
}
