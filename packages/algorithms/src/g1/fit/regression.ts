import {
  claimScratch,
  instantiate,
  KernelMemory,
  placeCopy,
  placeScratch,
  type Scratch,
} from '../../kernels/kernel-memory.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { sharedF64 } from '../../lib/arrays.ts';
import type { MatrixColumns } from '../data/matrix.ts';
import { placeColumns } from '../data/place-columns.ts';
import {
  cutWindows,
  defaultWindowBytes,
  largestOf,
  type Window,
  type WindowOptions,
} from '../data/windows.ts';
import { regressionCode } from './regression-code.ts';
import type { Sources } from './sources.ts';
import { nearToFar, placeOffsets, placeTargets, weightScatter } from './target-windows.ts';

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
  /** By source, the rows and sqrt(o_u) * R_us: both sides weighted alike, so that the inner loops read only one array. */
  readonly cells: number;
  /** In the order of the targets, where the left side of each begins: sqrt(o_u) * Y_uj of its cells. */
  readonly wantedOffsets: number;
  readonly wanted: number;
  /** By source: sum_u o_u R_us^2, and lambda + c * d_s of each lane. */
  readonly norm: number;
  readonly penalty: number;
  /** In the order of the targets, where the sources and weights of each begin. */
  readonly sourceOffsets: number;
  readonly source: number;
  readonly fitted: number;
}

/** Fits the targets from `from` to `to` of the order. */
function prepare(input: FitInput): (from: number, to: number) => void {
  const { rows, lanes } = input;
  // Per user and lane.
  const residual = claimScratch(input, rows * lanes * 4);
  return instantiate(regressionCode, input.memory, lanes === 1 ? 'fit' : 'fitFour', [
    input.sweeps,
    rows,
    input.order,
    input.columnOffsets,
    input.cells,
    input.wantedOffsets,
    input.wanted,
    input.norm,
    input.penalty,
    input.sourceOffsets,
    input.source,
    input.fitted,
    residual,
  ]);
}

export const regression: Kernel<FitInput> = { name: 'regression', prepare };

export interface FitOptions extends WindowOptions {
  readonly sweeps?: number;
}

/**
 * Fits with one or up to `maxLanes` parameters, which differ in `c` and `lambda` only. Writes the weights of each to one of
 * `weights`, in the layout of the support. The sources and weights of a window of targets are in `memory` at a time.
 */
export async function fit(
  matrix: MatrixColumns,
  sources: Sources,
  fits: readonly FitParameters[],
  weights: readonly Float32Array<SharedArrayBuffer>[],
  executor: Executor,
  options: FitOptions = {},
): Promise<void> {
  const { sweeps = defaultSweeps, memory = new KernelMemory(), windowBytes = defaultWindowBytes } = options;
  const lanes = fits.length === 1 ? 1 : maxLanes;
  const root = rootsOf(matrix, fits[0]!.beta);
  memory.clear();
  const placed = {
    lanes,
    sweeps,
    rows: matrix.users,
    ...(await placeColumns(matrix, root, memory, executor)),
    penalty: placePenalties(matrix, fits, lanes, memory),
    columnOffsets: placeCopy(memory, matrix.columnOffsets),
  };
  const near = nearToFar(sources, matrix);
  const order = memory.u32(near.length);
  order.set(near);
  const cellOffsets = placeOffsets(order, matrix.columnOffsets, memory);
  const pairOffsets = placeOffsets(order, sources.offsets, memory);
  const lengthIn =
    (offsets: Uint32Array) =>
    ({ from, to }: Window) =>
      offsets[to]! - offsets[from]!;
  const [pairsOf, cellsOf] = [lengthIn(pairOffsets), lengthIn(cellOffsets)];
  const bytesOf = (turn: number) => {
    const own = { from: turn, to: turn + 1 };
    return 8 + (4 + 4 * lanes) * pairsOf(own) + 4 * cellsOf(own);
  };
  const windows = cutWindows(order.length, bytesOf, windowBytes);
  const maxTargets = largestOf(windows, ({ from, to }) => to - from);
  const maxPairs = largestOf(windows, pairsOf);
  const ofWindow = {
    wantedOffsets: memory.u32(maxTargets),
    wanted: memory.f32(largestOf(windows, cellsOf)),
    sourceOffsets: memory.u32(maxTargets + 1),
    source: memory.u32(maxPairs),
  };
  const targets = { order, cellOffsets, pairOffsets, ...ofWindow, matrix, root, sources };
  const fitted = memory.f32(maxPairs * lanes);
  const { end } = memory;
  for (const window of windows) {
    await placeTargets(targets, window, executor);
    fitted.subarray(0, pairsOf(window) * lanes).fill(0);
    memory.end = end;
    const input: FitInput = {
      ...placed,
      order: order.byteOffset + 4 * window.from,
      wantedOffsets: ofWindow.wantedOffsets.byteOffset,
      wanted: ofWindow.wanted.byteOffset,
      sourceOffsets: ofWindow.sourceOffsets.byteOffset,
      source: ofWindow.source.byteOffset,
      fitted: fitted.byteOffset,
      ...placeScratch(memory),
    };
    const count = window.to - window.from;
    await executor.run(regression, input, count);
    const results = { first: window.from, order, pairOffsets, sources, fitted, lanes, weights };
    await executor.run(weightScatter, results, count);
  }
}

/** lambda + c * d_s of each lane; lanes that no fit needs repeat the last one. */
function placePenalties(
  { tokens, degree }: MatrixColumns,
  fits: readonly FitParameters[],
  lanes: number,
  memory: KernelMemory,
): number {
  const penalty = memory.f64(tokens * lanes);
  const ofLanes = Array.from({ length: lanes }, (_, lane) => fits[Math.min(lane, fits.length - 1)]!);
  for (let token = 0; token < tokens; token++)
    for (const [lane, { lambda, c }] of ofLanes.entries())
      penalty[token * lanes + lane] = lambda + c * degree[token]!;
  return penalty.byteOffset;
}

/** sqrt(o_u), where the interaction-weighted mean of o_u over users is 1: sum_u d_u o_u = sum_u d_u. */
function rootsOf({ users, rowDegree }: MatrixColumns, beta: number): Float64Array {
  const roots = sharedF64(users);
  let sum = 0;
  let total = 0;
  for (let row = 0; row < users; row++) {
    const degree = rowDegree[row]!;
    roots[row] = degree > 0 ? degree ** -beta : 0;
    sum += degree * roots[row]!;
    total += degree;
  }
  const scale = sum > 0 ? total / sum : 1;
  for (let row = 0; row < users; row++) roots[row] = Math.sqrt(roots[row]! * scale);
  return roots;
}
