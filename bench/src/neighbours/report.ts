import { type Goal, median, type Report } from '../report.ts';
import type { AttackName, StatusCounts } from './attacks.ts';
import type { Topology } from './cell.ts';
import type { LoopDelays } from './loop-probe.ts';
import { type Kind, kinds } from './victim.ts';

export interface Sizes {
  readonly topologies: readonly Topology[];
  readonly rounds: number;
  readonly seconds: number;
  /** The maximum ratio of the p99 under attack to the p99 without. */
  readonly ratioGoal: number;
  /** The longest that `/healthz` may take; undefined for no goal. */
  readonly healthGoalMs: number | undefined;
  /** The longest that the event loop may be blocked; undefined for no goal. */
  readonly busyGoalMs: number | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/** Measurements without an attack, or under one. */
export interface Sample {
  /** By round. */
  readonly p99Ms: Record<Kind, number[]>;
  /** By round. */
  readonly slowestHealthMs: number[];
  readonly failures: string[];
  delays: LoopDelays;
  serverCpu: number;
  postgresCpu: number;
  seconds: number;
}

export interface AttackResult {
  readonly topology: Topology;
  readonly name: AttackName;
  readonly baseline: Sample;
  readonly underAttack: Sample;
  readonly statusCounts: StatusCounts;
}

const p99 = (sample: Sample, kind: Kind) => median(sample.p99Ms[kind]);
const ratioOf = ({ baseline, underAttack }: AttackResult, kind: Kind) =>
  p99(underAttack, kind) / p99(baseline, kind);

export function reportOn(sizes: Sizes, measured: readonly AttackResult[]): Report {
  return {
    bench: 'neighbours',
    tables: sizes.topologies.map((topology) => ({
      title: `${topology}: median p99 of a steady load in ms, without an attack → under attack; ${sizes.rounds} alternating rounds of ${sizes.seconds} s`,
      rows: measured.filter((each) => each.topology === topology).map(rowOf),
    })),
    goals: measured.flatMap((each) => goalsOf(sizes, each)),
    figures: { measured: measured.map(figuresOf) },
  };
}

function rowOf(each: AttackResult): Record<string, string | number> {
  const { name, baseline, underAttack, statusCounts } = each;
  const row: Record<string, string | number> = { attack: name };
  for (const kind of kinds)
    row[kind] =
      `${p99(baseline, kind).toFixed(1)} → ${p99(underAttack, kind).toFixed(1)} (x${ratioOf(each, kind).toFixed(2)})`;
  row['slowest /healthz'] =
    `${median(baseline.slowestHealthMs).toFixed(0)} → ${median(underAttack.slowestHealthMs).toFixed(0)}`;
  row['failed'] = `${baseline.failures.length} → ${underAttack.failures.length}`;
  row['loop busy ms'] = underAttack.delays.busyMs;
  row['gc pause ms'] = underAttack.delays.pauseMs;
  row['server cores'] =
    `${(baseline.serverCpu / baseline.seconds).toFixed(2)} → ${(underAttack.serverCpu / underAttack.seconds).toFixed(2)}`;
  row['postgres cores'] =
    `${(baseline.postgresCpu / baseline.seconds).toFixed(2)} → ${(underAttack.postgresCpu / underAttack.seconds).toFixed(2)}`;
  row['responses to the attack'] = Object.entries(statusCounts)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
  return row;
}

function goalsOf({ ratioGoal, healthGoalMs, busyGoalMs }: Sizes, each: AttackResult): Goal[] {
  const { topology, name, underAttack } = each;
  const where = `${topology}, ${name}`;
  const { failures } = underAttack;
  const goals: Goal[] = kinds.map((kind) => {
    const ratio = ratioOf(each, kind);
    return {
      text: `${where}: p99 of ${kind} at most ${ratioGoal} times that without an attack: ${ratio.toFixed(2)}`,
      reached: ratio <= ratioGoal,
    };
  });
  goals.push({
    text: `${where}: every call returns 200: ${failures.length} do not${failures[0] ? `, the first: ${failures[0]}` : ''}`,
    reached: failures.length === 0,
  });
  const healthMs = median(underAttack.slowestHealthMs);
  if (healthGoalMs !== undefined)
    goals.push({
      text: `${where}: the slowest /healthz of a round takes less than ${healthGoalMs} ms: ${healthMs.toFixed(1)}`,
      reached: healthMs < healthGoalMs,
    });
  if (busyGoalMs !== undefined)
    goals.push({
      text: `${where}: the event loop is blocked for at most ${busyGoalMs} ms: ${underAttack.delays.busyMs.toFixed(1)}`,
      reached: underAttack.delays.busyMs <= busyGoalMs,
    });
  return goals;
}

function figuresOf(each: AttackResult) {
  const { topology, name, baseline, underAttack, statusCounts } = each;
  const sample = ({ failures, ...rest }: Sample) => ({ ...rest, failed: failures.length });
  return { topology, name, baseline: sample(baseline), underAttack: sample(underAttack), statusCounts };
}
