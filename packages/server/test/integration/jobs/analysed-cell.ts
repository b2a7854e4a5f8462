import { openObjectStore } from '../../../src/kernel/objects/open.ts';
import { submitBatch } from '../batches/recommending.ts';
import { submitClustering, submitQueries } from '../stack/analysed-project.ts';
import type { Caller } from '../stack/caller.ts';
import type { ServerProcess } from '../stack/server-process.ts';
import { deployModel, fixedParameters, makeProject, trainModel } from '../stack/training.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import {
  type HeldStage,
  holdPublishingParts,
  holdPublishingResult,
  holdReading,
  holdStore,
  holdThirdPart,
  longSearch,
  watchStage,
} from './job-stages.ts';
import { type CellSwift, startSwiftWithBucket } from './job-swift.ts';

export interface Stage {
  readonly type: string;
  readonly stage: string;
  readonly submit: (of: AnalysedCell) => Promise<string>;
  readonly hold: (of: AnalysedCell) => HeldStage | Promise<HeldStage>;
}

export interface AnalysedCell extends JobCell {
  readonly caller: Caller;
  readonly swift: CellSwift;
  readonly worker: ServerProcess;
  readonly project: {
    readonly project_id: string;
    readonly model_id: string;
    readonly event_dataset_id: string;
  };
}

/** A cell with one worker, whose store can be held, and a project with a deployed model of many users. */
export async function startAnalysedCell(): Promise<AnalysedCell> {
  const swift = await startSwiftWithBucket();
  const cell = await startJobCell({ env: { ...swift.env, RECOMMENDING_FILE_USERS: '100' } });
  const caller = await cell.newCaller();
  const worker = await cell.startWorker();
  const made = await makeProject(caller, { ...longSearch, parameters: fixedParameters });
  const project = { ...made, model_id: await trainModel(caller, made) };
  await deployModel((text, values) => cell.sql.query(text, values), project.model_id);
  return {
    ...cell,
    caller,
    swift,
    worker,
    project,
    async [Symbol.asyncDispose]() {
      await cell[Symbol.asyncDispose]();
      await swift[Symbol.asyncDispose]();
    },
  };
}

/** As many queries as a job may have, so that it takes a while. */
export const manyQueries = ({ caller, project }: AnalysedCell) =>
  submitQueries(caller, project, {
    query_type: 'user_list',
    queries: Array.from({ length: 100 }, () => ({
      conditions: Array.from({ length: 20 }, () => ({ attribute: 'parity', value: '1' })),
    })),
  });
const purchases = async ({ caller, project }: AnalysedCell) =>
  (
    await caller.call('submitExportJob', {
      name: 'an export',
      project_id: project.project_id,
      event_dataset_id: project.event_dataset_id,
      format: 'NDJSON',
    })
  ).job_id;
/** Files stay in the folder of their account, whatever becomes of the job. */
const eventsFile = async ({ objects, caller, project }: AnalysedCell) => {
  await using store = await openObjectStore(objects);
  const rows = Array.from(
    { length: 3000 },
    (_, n) => `imported-${n},u${n % 7},i${n % 5},170000000000${n % 10},view\n`,
  );
  const text = `event_id,user_id,item_id,ts,event_type\n${rows.join('')}`;
  await store.put(`imports/${caller.credentials.accountId}/events.csv`, [Buffer.from(text)]);
  const { project_id, event_dataset_id } = project;
  const request = { name: 'an import', project_id, event_dataset_id, path: 'events.csv' };
  return (await caller.call('submitImportJob', request)).job_id;
};
export const groups = ({ caller, project }: AnalysedCell) => submitClustering(caller, project);
export const batch = ({ caller, project }: AnalysedCell) => submitBatch(caller, project.project_id);
export const whileReading = ({ sql, swift }: AnalysedCell) => holdStore(sql, swift, 'reading');

const query = { type: 'QUERYING', submit: manyQueries };
const clustering = { type: 'CLUSTERING', submit: groups };
const recommending = { type: 'RECOMMENDING', submit: batch };

/** Stages that end when they are told to. */
const everyBusyStage: Stage[] = [
  { ...query, stage: 'reading', hold: whileReading },
  // The file is written during the analysis.
  { ...query, stage: 'answering', hold: ({ sql }) => watchStage(sql, 'answering') },
  { ...clustering, stage: 'reading', hold: whileReading },
  {
    type: 'EXPORT',
    stage: 'exporting',
    submit: purchases,
    hold: ({ sql, swift }) => holdStore(sql, swift, 'exporting'),
  },
  { ...clustering, stage: 'grouping', hold: ({ sql }) => watchStage(sql, 'grouping') },
  {
    type: 'IMPORT',
    stage: 'importing',
    submit: eventsFile,
    hold: ({ sql, project }) => holdReading(sql, project),
  },
  { ...recommending, stage: 'reading', hold: whileReading },
  { ...recommending, stage: 'recommending', hold: ({ sql }) => holdThirdPart(sql) },
];
const everyStage: Stage[] = [
  ...everyBusyStage,
  { ...query, stage: 'publishing', hold: ({ sql }) => holdPublishingResult(sql) },
  { ...clustering, stage: 'publishing', hold: ({ sql }) => holdPublishingResult(sql) },
  { ...recommending, stage: 'publishing', hold: ({ sql }) => holdPublishingParts(sql) },
];

/**
 * All with `FAULTS=all`, as before a release; otherwise the first of each type. Trainings always have all of theirs
 * (job-killed.test.ts), and the code that recovers a job is the same for every type.
 */
const ofThisRun = (stages: Stage[]) =>
  process.env['FAULTS'] === 'all'
    ? stages
    : stages.filter(({ type }, place) => stages.findIndex((other) => other.type === type) === place);

export const busyStages = ofThisRun(everyBusyStage);
export const allStages = ofThisRun(everyStage);
