import { LRUCache } from 'lru-cache';
import { ApiError, notFound } from '../../http/api-error.ts';
import { type BatchOptions, createBatcher } from '../../kernel/lib/batches.ts';
import { FairCache } from '../../kernel/lib/fair-cache.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { CallClock } from '../call-clock.ts';
import { findDefaultProject, findServedProject } from '../rows/served-projects.ts';
import type { ServedProject } from '../rows/serving-reads.ts';

/** Calls without a project ID cost a read before they can be limited: concurrent ones of an account share it. */
const batchOptions: BatchOptions = { maxInFlight: 1, maxSize: 1000, maxWaiting: 10_000 };

/** Resolves the project of a call. */
export class Projects {
  readonly #db: Database;
  /** For what `#db`, which may be behind, does not have. */
  readonly #currentDb: Database;
  readonly #known: FairCache<ServedProject>;
  /** Reads the default project, by account. */
  readonly #defaults: LRUCache<string, (accountId: string, endMs: number) => Promise<string | undefined>>;

  /** `maxProjects` are kept in memory. What is kept is fixed when the project is created. */
  constructor(db: Database, maxProjects = 1000, currentDb = db) {
    this.#db = db;
    this.#currentDb = currentDb;
    this.#known = new FairCache({ maxSize: maxProjects });
    this.#defaults = new LRUCache({ max: maxProjects });
  }

  /** The named project, or else the account's default project. */
  async resolve(accountId: string, projectId: string | undefined, clock: CallClock): Promise<ServedProject> {
    // The usual case, without a timer.
    const known = projectId === undefined ? undefined : this.#known.get(accountId, projectId);
    return known ?? within(clock.leftMs(), this.#find(accountId, projectId, clock.endMs));
  }

  async #find(accountId: string, projectId: string | undefined, endMs: number): Promise<ServedProject> {
    const id = projectId ?? (await this.#defaultOf(accountId, endMs));
    const known = this.#known.get(accountId, id);
    if (known) return known;
    const project = await this.read(accountId, id);
    this.#known.set(accountId, id, project);
    return project;
  }

  /** The named project, by a read that starts after this is called: one that was deleted meanwhile is not found. */
  async read(accountId: string, projectId: string): Promise<ServedProject> {
    const project = await this.#findProject(accountId, projectId);
    if (!project) throw notFound('Project', projectId);
    return project;
  }

  /** The error for a project without a deployment. If it was deleted, the same error as for one that never existed. */
  async explainAbsence(accountId: string, { project_id }: ServedProject): Promise<ApiError> {
    this.#known.delete(accountId, project_id);
    const project = await this.#findProject(accountId, project_id);
    return project ? noDeployment(project_id) : notFound('Project', project_id);
  }

  #findProject(accountId: string, projectId: string): Promise<ServedProject | undefined> {
    return this.#current((db) => findServedProject(db, accountId, projectId));
  }

  async #current<T>(find: (db: Database) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await find(this.#db);
    return found !== undefined || this.#db === this.#currentDb ? found : find(this.#currentDb);
  }

  async #defaultOf(accountId: string, endMs: number): Promise<string> {
    const id = await this.#readDefault(accountId, endMs);
    if (id === undefined) throw notDeployed('No project of this account has been deployed yet.');
    return id;
  }

  /** The read starts after this is called, even if it is shared with other calls. */
  #readDefault(accountId: string, endMs: number): Promise<string | undefined> {
    const known = this.#defaults.get(accountId);
    if (known) return known(accountId, endMs);
    const read = createBatcher(batchOptions, async (requests: string[]) => {
      const id = await this.#current((db) => findDefaultProject(db, accountId));
      return requests.map(() => id);
    });
    this.#defaults.set(accountId, read);
    return read(accountId, endMs);
  }
}

export function noDeployment(projectId: string): ApiError {
  return notDeployed(`No model is deployed for ${projectId}.`);
}

function notDeployed(which: string): ApiError {
  return new ApiError(
    'PROJECT_NOT_DEPLOYED',
    `${which} Deploy a trained model with /submit-deployment-job, or pass the project_id of a deployed project. /update-project sets the default project.`,
  );
}
