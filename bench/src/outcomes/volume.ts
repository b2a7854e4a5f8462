import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchEnvironment } from '../environment.ts';
import { peakBytes } from '../process-memory.ts';
import { type Goal, percentile } from '../report.ts';
import { clientOf, createDatasets, createProject } from '../sdk-client.ts';
import { answerId } from './answer-log.ts';
import { answerAt, dayMs, eventsOf, partOfDay, type VolumeShape } from './volume-answers.ts';

interface VolumeSize {
  readonly answers: number;
  readonly days: number;
  /** As many answers have rows of their files when lookups are timed. */
  readonly rowsOf: number;
  /** Which one of the times of lookups has to reach the goal. */
  readonly lookupPercentile: number;
}

interface Step {
  readonly step: string;
  readonly seconds: number;
  readonly memoryMb: number;
}

const perFile = 50_000;
const lookups = 60;
const maxStepMs = 3600_000;

/** What logging, sorting, attributing, erasing and finding answers takes. */
export async function measureVolume(setting: BenchEnvironment, size: VolumeSize) {
  const { service, admin, objectsFolder } = setting;
  const client = clientOf(service);
  const datasets = await createDatasets(client, 40);
  const project_id = await createProject(client, datasets);
  const shape: VolumeShape = {
    account_id: service.key.account_id,
    project_id,
    answers: size.answers,
    days: size.days,
    fromDay: Math.floor(Date.now() / dayMs) - size.days,
  };
  await client.importEvents(datasets.event_dataset_id, eventsOf(shape), { concurrency: 8 });
  // Attribution starts when the benchmark says so, and does not run while answers are sorted.
  await admin.query(
    `INSERT INTO outcome_states (project_key, due_at) SELECT project_key, 'infinity' FROM projects WHERE project_id = $1`,
    [project_id],
  );
  const query = async (text: string) =>
    Number((await admin.query<{ n: string | null }>(text, [project_id])).rows[0]?.n ?? 0);
  const ofProject = 'project_key = (SELECT project_key FROM projects WHERE project_id = $1)';
  const sorted = () => query(`SELECT sum(answers) AS n FROM decision_files WHERE ${ofProject}`);
  const runs = () => query(`SELECT run AS n FROM outcome_states WHERE ${ofProject}`);
  const isAttributed = async () =>
    (await query(`SELECT count(attributed_at) AS n FROM outcome_states WHERE ${ofProject}`)) === 1;
  let runsBefore = 0;
  const attribute = async () => {
    runsBefore = await runs();
    await admin.query(`UPDATE outcome_states SET due_at = now(), attributed_at = NULL WHERE ${ofProject}`, [
      project_id,
    ]);
  };

  const steps: Step[] = [await logAll(objectsFolder, shape)];
  const worked = async (step: string, isStarted: () => Promise<boolean>, isDone: () => Promise<boolean>) => {
    await using worker = service.startWorker();
    while (!(await isStarted())) await sleep(50);
    const startedAt = performance.now();
    let memory = 0;
    while (!(await isDone())) {
      if (performance.now() - startedAt > maxStepMs) throw new Error(`"${step}" takes too long`);
      await sleep(250);
      memory = await peakBytes(worker.pid);
    }
    steps.push({ step, seconds: (performance.now() - startedAt) / 1000, memoryMb: memory / 1e6 });
  };
  const atOnce = async () => true;
  const isRunning = async () => (await runs()) > runsBefore;
  await worked('sort into files', atOnce, async () => (await sorted()) === shape.answers);
  const files = await query(`SELECT count(*) AS n FROM decision_files WHERE ${ofProject}`);
  const bytes = await query(`SELECT sum(size) AS n FROM decision_files WHERE ${ofProject}`);
  await attribute();
  await worked(`attribute ${size.days} days`, isRunning, isAttributed);
  const { totals } = await client.getOutcomes({ project_id });
  const counted = totals.reduce((sum, { answers }) => sum + answers, 0);
  const followed = totals.reduce((sum, { clicked }) => sum + clicked.total, 0);
  const last = answerAt(shape, shape.answers - 1);
  await client.upsertDatasetEvents({
    event_dataset_id: datasets.event_dataset_id,
    events: [
      { event_id: 'late', user_id: last.user_id ?? '', item_id: 'item-0', ts: last.ts, event_type: 'view' },
    ],
  });
  await attribute();
  await worked('attribute one new event', isRunning, isAttributed);
  const { erasure_id } = await client.eraseUser({ user_id: 'user-0' });
  await worked(
    'erase one user',
    atOnce,
    async () => (await client.getErasure({ erasure_id })).status === 'DONE',
  );

  const alone = await timeLookups(client, shape);
  const rows = await addRows(setting, shape, size.rowsOf - size.answers);
  const among = await timeLookups(client, shape);
  const goalMs = percentile(among, size.lookupPercentile);
  const goals: Goal[] = [
    { text: `all ${shape.answers} answers are counted: ${counted}`, reached: counted === shape.answers },
    {
      text: `/get-recommendation among ${size.rowsOf} answers in less than 1 s: p${size.lookupPercentile} ${goalMs.toFixed(0)} ms`,
      reached: goalMs < 1000,
    },
  ];
  const lookup = (step: string, ms: readonly number[]) => ({
    step,
    seconds: percentile(ms, 50) / 1000,
    'answers/s': '',
    'peak MB': '',
  });
  return {
    title: `${shape.answers} answers of ${size.days} days in ${files} files (${(bytes / 1e6).toFixed(0)} MB), ${Math.ceil(shape.answers / 20)} events. Lookups: median of ${lookups}; ${rows} more rows of files for ${size.rowsOf} answers`,
    rows: [
      ...steps.map(({ step, seconds, memoryMb }) => ({
        step,
        seconds,
        'answers/s': Math.round(shape.answers / seconds),
        'peak MB': Math.round(memoryMb),
      })),
      lookup(`find one of ${shape.answers}`, alone),
      lookup(`find one of ${size.rowsOf}`, among),
    ],
    goals,
    figures: {
      steps,
      files,
      bytes,
      followed,
      lookupsMs: {
        alone: { p50: percentile(alone, 50), p99: percentile(alone, 99) },
        among: { p50: percentile(among, 50), p99: percentile(among, 99) },
      },
    },
  };
}

async function logAll(objectsFolder: string, shape: VolumeShape): Promise<Step> {
  const script = fileURLToPath(new URL('./log-child.ts', import.meta.url));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script, objectsFolder, JSON.stringify(shape)], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  let memory = 0;
  const timer = setInterval(() => {
    void peakBytes(child.pid ?? 0).then(
      (bytes) => {
        memory = Math.max(memory, bytes);
      },
      () => undefined,
    );
  }, 250);
  const [code] = (await exited) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error('logging failed');
  return { step: 'log', seconds: (performance.now() - startedAt) / 1000, memoryMb: memory / 1e6 };
}

async function timeLookups(client: ReturnType<typeof clientOf>, shape: VolumeShape): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < lookups; n++) {
    const { recommendation_id } = answerAt(shape, Math.floor(((n + 0.5) / lookups) * shape.answers));
    const startedAt = performance.now();
    const found = await client
      .getRecommendation({ project_id: shape.project_id, recommendation_id })
      .catch(() => undefined);
    // The erased user's are gone.
    if (found) times.push(performance.now() - startedAt);
  }
  if (times.length < lookups / 2) throw new Error('answers were not found');
  return times;
}

/** Rows of files for the rest of each day. A lookup reads these rows and one file, so the files need not exist. */
async function addRows({ admin }: BenchEnvironment, shape: VolumeShape, answers: number): Promise<number> {
  const rows = Math.ceil(answers / perFile);
  const zero = () => 0;
  const files = Array.from({ length: rows }, (_, n) => {
    const day = shape.fromDay + (n % shape.days);
    const place = Math.floor(n / shape.days) / Math.ceil(rows / shape.days);
    const fromTs = day * dayMs + Math.floor((partOfDay + 0.001 + place * (0.999 - partOfDay)) * dayMs);
    return {
      day,
      first_id: answerId(fromTs, zero),
      last_id: answerId(fromTs + 1, zero),
      object_key: `decisions/none/${n}`,
    };
  });
  await admin.query(
    `INSERT INTO decision_files (project_key, day, first_id, last_id, answers, object_key, size, sha256)
      SELECT p.project_key, r.day, r.first_id, r.last_id, ${perFile}, r.object_key, 1, '' FROM projects p,
        json_to_recordset($2::json) AS r(day int, first_id text, last_id text, object_key text) WHERE p.project_id = $1`,
    [shape.project_id, JSON.stringify(files)],
  );
  await admin.query('ANALYZE decision_files');
  return rows;
}
