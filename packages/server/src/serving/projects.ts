import { LRUCache } from 'lru-cache';
import { Fault, notFound } from '../domain/fault.ts';
import { type BatchOptions, inBatches } from '../lib/batches.ts';
import { within } from '../lib/within.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { findServedProject, listDeployedProjects } from '../storage/postgres/served-projects.ts';
import type { ServedProject } from '../storage/postgres/serving-reads.ts';

/** What is kept of a project is a few hundred bytes, and fixed when it is created. */
const keptProjects = 10_000;
/** More need not be named for somebody to see what is meant. */
const namedProjects = 10;
/** Calls that name no project cost a read before they can be limited: those of an account that come together share it. */
const together: BatchOptions = { atOnce: 1, most: 1000 };

/** Which project a call is for. */
export class Projects {
  readonly #db: Database;
  readonly #readMs: number;
  readonly #known = new LRUCache<string, ServedProject>({ max: keptProjects });
  /** By account, what lists its deployed projects. */
  readonly #deployed = new LRUCache<string, (accountId: string) => Promise<string[]>>({ max: keptProjects });

  /** `readMs` is how long a call may wait to learn whose it is. */
  constructor(db: Database, readMs: number) {
    this.#db = db;
    this.#readMs = readMs;
  }

  /** The one that is named, or else the account's one deployed project. */
  async resolve(accountId: string, projectId: string | undefined): Promise<ServedProject> {
    // Nearly always: without a timer.
    const known = projectId === undefined ? undefined : this.#known.get(`${accountId} ${projectId}`);
    return known ?? within(this.#readMs, this.#find(accountId, projectId));
  }

  async #find(accountId: string, projectId: string | undefined): Promise<ServedProject> {
    const id = projectId ?? (await this.#onlyDeployed(accountId));
    const key = `${accountId} ${id}`;
    const known = this.#known.get(key);
    if (known) return known;
    const project = await findServedProject(this.#db, accountId, id);
    if (!project) throw notFound('project');
    this.#known.set(key, project);
    return project;
  }

  /** For one without a deployment: it may be gone altogether, and then answers as what never was. */
  async explainAbsence(accountId: string, { project_id }: ServedProject): Promise<Fault> {
    this.#known.delete(`${accountId} ${project_id}`);
    return (await findServedProject(this.#db, accountId, project_id)) ? notDeployed() : notFound('project');
  }

  async #onlyDeployed(accountId: string): Promise<string> {
    const deployed = await this.#listDeployed(accountId);
    const [only, ...others] = deployed;
    if (only === undefined) throw notDeployed();
    if (others.length === 0) return only;
    const named = deployed.slice(0, namedProjects).join(', ');
    throw new Fault(
      'PROJECT_REQUIRED',
      `Several projects are deployed: ${named}${deployed.length > namedProjects ? ' and others' : ''}. Send project_id, or call under the project's serving_uri.`,
    );
  }

  /** As of after it was asked for, whoever else asked. */
  #listDeployed(accountId: string): Promise<string[]> {
    const known = this.#deployed.get(accountId);
    if (known) return known(accountId);
    const list = inBatches(together, async (asked: string[]) => {
      const deployed = await listDeployedProjects(this.#db, accountId, namedProjects + 1);
      return asked.map(() => deployed);
    });
    this.#deployed.set(accountId, list);
    return list(accountId);
  }
}

function notDeployed(): Fault {
  return new Fault(
    'PROJECT_NOT_DEPLOYED',
    'No model is deployed. Deploy a trained one with /submit-deployment-job.',
  );
}
