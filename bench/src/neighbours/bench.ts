import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cpuSeconds } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { percentile, type Report } from '../report.ts';
import { type AttackName, attackNames, type StatusCounts } from './attacks.ts';
import { type Cell, startCell, type Topology } from './cell.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { maxDelays, noDelays } from './loop-probe.ts';
import { type Neighbours, prepareNeighbours } from './prepare.ts';
import { type AttackResult, reportOn, type Sample, type Sizes } from './report.ts';
import { kinds, type VictimResult } from './victim.ts';

const full: Sizes = {
  topologies: ['all-in-one', 'split'],
  rounds: 4,
  seconds: 5,
  ratioGoal: 2,
  healthGoalMs: 50,
  busyGoalMs: 20,
  // Few megabytes for mirrors, so that the catalogues of one attack do not fit.
  settings: { SERVING_MEMORY_MB: '128' },
};
// Few calls, on a machine with other work: only checks that no call fails.
const quick: Sizes = {
  topologies: ['all-in-one'],
  rounds: 1,
  seconds: 3,
  ratioGoal: 50,
  healthGoalMs: undefined,
  busyGoalMs: undefined,
  settings: { SERVING_DEADLINE_MS: '20000' },
};

/** How long an attack runs before the victim's calls are measured. */
const rampUpMs = 500;
/** After an attack: time to close its sockets and collect its garbage. */
const settleMs = 1500;
/** Slightly longer than the longest statement that an attack may leave behind. */
const idleTimeoutMs = 40_000;

/**
 * Whether one account slows down another on the same processes: the p99 of a steady, modest load, alternately without an
 * attack and under each kind of attack. Takes the median over rounds, because other work on the machine comes in bursts.
 * Victim and attacker are separate processes.
 */
export async function benchNeighbours(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  const sizes = isQuick ? quick : full;
  const chosen = parts.length > 0 ? (parts as AttackName[]) : attackNames;
  return withEnvironment((setting) => measureAll(sizes, chosen, setting), 'all-in-one');
}

async function measureAll(
  sizes: Sizes,
  chosen: readonly AttackName[],
  setting: BenchEnvironment,
): Promise<Report> {
  const neighbours = await prepareNeighbours(setting);
  const measured: AttackResult[] = [];
  // The process that prepared the data would run jobs too.
  await setting.service[Symbol.asyncDispose]();
  for (const topology of sizes.topologies) {
    await using cell = await startCell(setting.service, topology, sizes.settings);
    await using victim = startLoadGenerator<VictimResult>();
    await using attacker = startLoadGenerator<StatusCounts>();
    const at = neighbours.optionsFor(cell);
    const { admin, postgres } = setting;
    const postgresPid = postgres.pid;
    const context: Context = { sizes, topology, cell, victim, attacker, at, admin, postgresPid };
    await runVictim(context, 3);
    for (const name of chosen) {
      measured.push(await measureAttack(context, name));
      console.error(`${topology}, ${name}: measured after ${Math.round(performance.now() / 1000)} s`);
    }
  }
  return reportOn(sizes, measured);
}

interface Context {
  readonly sizes: Sizes;
  readonly topology: Topology;
  readonly cell: Cell;
  readonly victim: LoadGenerator<VictimResult>;
  readonly attacker: LoadGenerator<StatusCounts>;
  readonly at: ReturnType<Neighbours['optionsFor']>;
  readonly admin: pg.Client;
  readonly postgresPid: number;
}

const newSample = (): Sample => ({
  p99Ms: { recommend: [], 'get-project': [], upsert: [] },
  slowestHealthMs: [],
  failures: [],
  delays: noDelays,
  serverCpu: 0,
  postgresCpu: 0,
  seconds: 0,
});

async function measureAttack(context: Context, name: AttackName): Promise<AttackResult> {
  const { sizes, topology, attacker, at } = context;
  const measured: AttackResult = {
    topology,
    name,
    baseline: newSample(),
    underAttack: newSample(),
    statusCounts: {},
  };
  await attacker.run({ prepare: name, order: at.attacker });
  for (let round = 0; round < sizes.rounds; round++) {
    await addSample(context, measured.baseline);
    const attacking = attacker.run({ run: true });
    await sleep(rampUpMs);
    await addSample(context, measured.underAttack);
    attacker.send({ stop: true });
    for (const [status, count] of Object.entries(await attacking))
      measured.statusCounts[Number(status)] = (measured.statusCounts[Number(status)] ?? 0) + count;
    await waitUntilIdle(context.admin);
  }
  return measured;
}

async function addSample(context: Context, sample: Sample): Promise<void> {
  const { cell, postgresPid, sizes } = context;
  await cell.loopDelays();
  const before = [cell.cpuSeconds(), cpuSeconds(postgresPid) ?? 0, performance.now()] as const;
  const { latenciesMs, slowestHealthMs, failures } = await runVictim(context, sizes.seconds);
  sample.serverCpu += cell.cpuSeconds() - before[0];
  sample.postgresCpu += (cpuSeconds(postgresPid) ?? 0) - before[1];
  sample.seconds += (performance.now() - before[2]) / 1000;
  sample.delays = maxDelays(sample.delays, await cell.loopDelays());
  for (const kind of kinds) sample.p99Ms[kind].push(percentile(latenciesMs[kind], 99));
  sample.slowestHealthMs.push(slowestHealthMs);
  sample.failures.push(...failures);
}

/** Waits until no statement of the attack is running any more. */
async function waitUntilIdle(admin: pg.Client): Promise<void> {
  const end = performance.now() + idleTimeoutMs;
  const busy = `SELECT FROM pg_stat_activity WHERE application_name LIKE 'tastegraph%' AND state = 'active'
    AND query_start < clock_timestamp() - interval '200 milliseconds'`;
  do await sleep(settleMs);
  while ((await admin.query(busy)).rowCount && performance.now() < end);
}

async function runVictim({ victim, at }: Context, seconds: number): Promise<VictimResult> {
  return victim.run({ victim: at.victim, seconds });
}
