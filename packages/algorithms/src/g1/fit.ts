import { countsToOffsets } from '../arrays.ts';
import {
  claimScratch,
  instantiate,
  KernelMemory,
  placeCopy,
  placeScratch,
  type Scratch,
} from '../kernel-memory.ts';
import type { Executor, Kernel } from '../parallel.ts';
import type { Matrix } from './matrix.ts';
import { regressionCode } from './regression-code.ts';
import type { Fitted, Sources } from './support.ts';

/**
 * Ridge regression of each target item on its sources (SLIM, Ning and Karypis 2011; EASE, Steck 2019; the penalty that
 * grows with the source, EDLAE, Steck 2020). For target j it minimizes, with w_jj = 0,
 *
 *     sum_u o_u (Y_uj - sum_s R_us w_sj)^2 + sum_s (lambda + c * d_s) w_sj^2,
 *
 * where o_u = d_u^-beta, scaled to an interaction-weighted mean of 1. It uses coordinate descent from zero on the
 * residual. Targets are fitted independently of each other. The descent is in WebAssembly, twice as fast as TypeScript
 * (docs/decisions/kernels.md).
 */
export interface FitParameters {
  readonly beta: number;
  readonly c: number;
  readonly lambda: number;
}

/** Fits with the same beta that are made at once, in the lanes of vectors, share most of the work. */
export const maxLanes = 4;

/** Three are enough because sources come rarest first. */
const defaultSweeps = 3;

/** The kernel's arguments: see assembly/regression.ts. Arrays are addresses in `memory`. */
interface FitInput extends Scratch {
  /** 1 or 4: how many fits are made at once. */
  readonly lanes: number;
  readonly sweeps: number;
  readonly rows: number;
  /** The targets in the order in which they are fitted. */
  readonly order: number;
  readonly columnOffsets: number;
  /**
   * By source, the rows and sqrt(o_u) * R_us. Both sides include the weight of the observation, so that the inner loops
   * read only one array.
   */
  readonly cells: number;
  /** The left side of the same cells, each at `wanted + (cell << wantedShift)`. */
  readonly wanted: number;
  readonly wantedShift: number;
  /** By source: sum_u o_u R_us^2, and lambda + c * d_s of each lane. */
  readonly norm: number;
  readonly penalty: number;
  readonly sourceOffsets: number;
  /** Index of this run's first source among all sources. */
  readonly firstPlace: number;
  readonly source: number;
  readonly fitted: number;
}

/** Fits the targets from `from` to `to` of the order. */
function prepare(input: FitInput): (from: number, to: number) => void {
  const { rows, lanes } = input;
  const residual = claimScratch(input, rows * lanes * 4);
  return instantiate(regressionCode, input.memory, lanes === 1 ? 'fit' : 'fitFour', [
    input.sweeps,
    rows,
    input.order,
    input.columnOffsets,
    input.cells,
    input.wanted,
    input.wantedShift,
    input.norm,
    input.penalty,
    input.sourceOffsets,
    input.firstPlace,
    input.source,
    input.fitted,
    residual,
  ]);
}

export const regression: Kernel<FitInput> = { name: 'regression', prepare };

export interface FitOptions {
  readonly sweeps?: number;
  /** Reused for the next fit. */
  readonly memory?: KernelMemory;
  /** How many pairs have their sources and weights in memory at a time. */
  readonly pairsPerRun?: number;
}

/** 512 MiB, leaving most of the memory for the columns. */
const defaultPairsPerRun = 2 ** 26;

/** Fits with one or up to `maxLanes` parameters, which differ in `c` and `lambda` only. */
export async function fit(
  matrix: Matrix,
  sources: Sources,
  fits: readonly FitParameters[],
  executor: Executor,
  options: FitOptions = {},
): Promise<Fitted> {
  const { sweeps = defaultSweeps, memory = new KernelMemory(), pairsPerRun = defaultPairsPerRun } = options;
  const lanes = fits.length === 1 ? 1 : maxLanes;
  const runs = cutRuns(sources.offsets, matrix.items, Math.ceil(pairsPerRun / lanes));
  memory.clear();
  const placed = {
    lanes,
    sweeps,
    rows: matrix.users,
    ...placeColumns(matrix, fits, lanes, memory),
    columnOffsets: placeCopy(memory, matrix.columnOffsets),
    sourceOffsets: placeCopy(memory, sources.offsets),
  };
  const longest = Math.max(0, ...runs.map(({ firstPlace, endPlace }) => endPlace - firstPlace));
  const near = nearToFar(sources, matrix);
  const order = memory.u32(matrix.items);
  const source = memory.u32(longest);
  const part = memory.f32(longest * lanes);
  const end = memory.end;
  const weight = new Float32Array(sources.source.length * lanes);
  for (const { firstTarget, endTarget, firstPlace, endPlace } of runs) {
    source.set(sources.source.subarray(firstPlace, endPlace));
    part.fill(0);
    order.set(near.filter((target) => target >= firstTarget && target < endTarget));
    memory.end = end;
    const input: FitInput = {
      ...placed,
      order: order.byteOffset,
      firstPlace,
      source: source.byteOffset,
      fitted: part.byteOffset,
      ...placeScratch(memory),
    };
    await executor.run(regression, input, endTarget - firstTarget);
    weight.set(part.subarray(0, (endPlace - firstPlace) * lanes), firstPlace * lanes);
  }
  return { lanes, weight };
}

/** Splits the targets into as few runs as possible, each of at most `pairsPerRun` pairs or a single target. */
function cutRuns(offsets: Uint32Array, items: number, pairsPerRun: number) {
  const runs: { firstTarget: number; endTarget: number; firstPlace: number; endPlace: number }[] = [];
  for (let firstTarget = 0; firstTarget < items; ) {
    const firstPlace = offsets[firstTarget]!;
    let endTarget = firstTarget + 1;
    while (endTarget < items && offsets[endTarget + 1]! - firstPlace <= pairsPerRun) endTarget++;
    runs.push({ firstTarget, endTarget, firstPlace, endPlace: offsets[endTarget]! });
    firstTarget = endTarget;
  }
  return runs;
}

/**
 * Orders targets so that consecutive ones share many sources and users, whose columns and residuals then stay in the
 * cache. Targets form a forest: a target's parent is the most popular of its sources, if that is more popular than the
 * target. The order is a depth-first walk. With data larger than the caches this saves a sixth of the time (at three
 * million events). The weights do not depend on the order.
 */
function nearToFar({ offsets, source }: Sources, { items, degree }: Matrix): Uint32Array {
  const followers = new Uint32Array(items + 2);
  const leader = new Uint32Array(items).fill(items);
  for (let target = 0; target < items; target++) {
    // Sources come rarest first; skip attribute values and the token that every user has.
    let place = offsets[target + 1]! - 1;
    while (place >= offsets[target]! && source[place]! >= items) place--;
    if (place >= offsets[target]! && degree[source[place]!]! > degree[target]!)
      leader[target] = source[place]!;
    followers[leader[target]! + 1]!++;
  }
  countsToOffsets(followers);
  const follower = new Uint32Array(items);
  const cursor = followers.slice();
  for (let target = 0; target < items; target++) follower[cursor[leader[target]!]!++] = target;
  const order = new Uint32Array(items);
  const waiting = [...follower.subarray(followers[items], followers[items + 1])];
  for (let turn = 0; turn < items; turn++) {
    const target = waiting.pop()!;
    order[turn] = target;
    for (let place = followers[target]!; place < followers[target + 1]!; place++)
      waiting.push(follower[place]!);
  }
  return order;
}

/** Places the columns' values in memory in the layout that the kernel reads. */
function placeColumns(matrix: Matrix, fits: readonly FitParameters[], lanes: number, memory: KernelMemory) {
  const { tokens, columnOffsets, columnRow, columnWeight, columnTarget } = matrix;
  const root = observationWeights(matrix, fits[0]!.beta).map(Math.sqrt);
  const weight = memory.f32(2 * columnRow.length);
  const row = new Uint32Array(weight.buffer, weight.byteOffset, weight.length);
  const norm = memory.f64(tokens);
  const penalty = memory.f64(tokens * lanes);
  const ofLanes = Array.from({ length: lanes }, (_, lane) => fits[Math.min(lane, fits.length - 1)]!);
  for (let token = 0; token < tokens; token++) {
    let sum = 0;
    for (let cell = columnOffsets[token]!; cell < columnOffsets[token + 1]!; cell++) {
      const value = Math.fround(root[columnRow[cell]!]! * columnWeight[cell]!);
      row[2 * cell] = columnRow[cell]!;
      weight[2 * cell + 1] = value;
      sum += value ** 2;
    }
    norm[token] = sum;
    for (const [lane, { lambda, c }] of ofLanes.entries())
      penalty[token * lanes + lane] = lambda + c * matrix.degree[token]!;
  }
  const placed = { cells: weight.byteOffset, norm: norm.byteOffset, penalty: penalty.byteOffset };
  if (columnTarget === columnWeight) return { ...placed, wanted: weight.byteOffset + 4, wantedShift: 3 };
  const wanted = memory.f32(columnTarget.length);
  for (let cell = 0; cell < wanted.length; cell++)
    wanted[cell] = root[columnRow[cell]!]! * columnTarget[cell]!;
  return { ...placed, wanted: wanted.byteOffset, wantedShift: 2 };
}

/** o_u, with an interaction-weighted mean of 1 over users: sum_u d_u o_u = sum_u d_u. */
function observationWeights(matrix: Matrix, beta: number): Float64Array {
  const weights = new Float64Array(matrix.users);
  let sum = 0;
  let total = 0;
  for (let row = 0; row < matrix.users; row++) {
    const degree = matrix.rowDegree[row]!;
    weights[row] = degree > 0 ? degree ** -beta : 0;
    sum += degree * weights[row]!;
    total += degree;
  }
  const scale = sum > 0 ? total / sum : 1;
  return weights.map((weight) => weight * scale);
}
