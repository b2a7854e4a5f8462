import { type Request, type ScenarioQuestion, scenarioQuestions } from '@tastegraph/contract';
import { ApiError, notFound } from '../http/api-error.ts';
import { FairCache } from '../kernel/lib/fair-cache.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { isUnavailable } from '../kernel/postgres/pool.ts';
import type { CallClock } from '../serving/call-clock.ts';
import type { CallSettings, QuestionName, ResolvedSettings, ServedScenario } from '../serving/ports.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import type { LiveReads } from '../serving/state/live-reads.ts';

/** Parsed settings take about this many times their text, of at most 64 KiB. */
const bytesPerCharacter = 4;
/** Of an entry without settings. */
const entryBytes = 500;
/** Share of the remaining time for the read; the rest is for responding. */
const readShare = 0.3;

interface KnownScenario extends ServedScenario {
  /** Its settings, parsed. */
  readonly fields: object;
}

/** Resolves the scenario of a call. Each call reads the current version, in one statement with concurrent calls. */
export class Scenarios implements CallSettings {
  readonly #reads: LiveReads;
  /** The last versions read: used while the database is unavailable. */
  readonly #known: FairCache<KnownScenario>;

  constructor(reads: LiveReads, maxBytes: number) {
    this.#reads = reads;
    this.#known = new FairCache({
      maxSize: Math.ceil(maxBytes),
      sizeOf: ({ settings }) => entryBytes + bytesPerCharacter * settings.length,
    });
  }

  async resolve<Name extends QuestionName>(
    name: Name,
    project: ServedProject,
    request: Request<Name>,
    clock: CallClock,
  ): Promise<ResolvedSettings<Name>> {
    const { scenario } = request;
    if (scenario === undefined) return { request, version: null, experimentId: null };
    const { question, fields, version, experiment_id } = await this.#find(project, scenario, clock);
    checkQuestion(scenario, question, name);
    return { request: { ...fields, ...request }, version, experimentId: experiment_id };
  }

  async #find(project: ServedProject, name: string, clock: CallClock): Promise<KnownScenario> {
    const key = `${project.project_id} ${name}`;
    const { account_id } = project;
    const known = this.#known.get(account_id, key);
    let found: ServedScenario | undefined;
    try {
      const endMs = performance.now() + clock.leftMs() * readShare;
      found = await clock.within('scenario', this.#reads.scenario(project, name, endMs), readShare);
    } catch (error) {
      if (known && isUnavailable(error)) return known;
      throw error;
    }
    if (!found) {
      this.#known.delete(account_id, key);
      throw notFound('Scenario', name, project.project_id);
    }
    const { settings, version, question, experiment_id } = found;
    if (known?.settings === settings && known.version === version)
      if (known.question === question && known.experiment_id === experiment_id) return known;
    // Parsing is what takes time.
    const fields = known?.settings === settings ? known.fields : (parseJson(settings) as object);
    const current = { ...found, fields };
    this.#known.set(account_id, key, current);
    return current;
  }
}

/** Throws an ApiError if the scenario is for another call. */
export function checkQuestion(scenario: string, question: ScenarioQuestion, name: QuestionName): void {
  if (scenarioQuestions[question] === name) return;
  const message = `is for another recommendation call: its question is ${question}`;
  throw new ApiError('INVALID_REQUEST', `scenario \`${scenario}\` ${message}.`, {
    errors: [{ path: 'scenario', message }],
  });
}
