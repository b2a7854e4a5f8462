import { sharedF32, sharedF64 } from '../arrays.ts';
import type { Executor, Kernel } from '../parallel.ts';
import type { Matrix } from './matrix.ts';
import type { Sources } from './support.ts';

/**
 * Ridge regression of each target item on its sources (SLIM, Ning and Karypis 2011; EASE, Steck 2019; the penalty that
 * grows with the source, EDLAE, Steck 2020): for target j minimise, with w_jj = 0,
 *
 *     sum_u o_u (Y_uj - sum_s R_us w_sj)^2 + sum_s (lambda + c * d_s) w_sj^2,
 *
 * o_u = d_u^-beta, scaled to an interaction-weighted mean of 1, by coordinate descent from zero on the residual.
 * Targets share nothing but what they read.
 */
export interface FitParameters {
  readonly beta: number;
  readonly c: number;
  readonly lambda: number;
}

/** Sources come rarest first, which makes three enough. */
const sweeps = 3;

interface FitInput {
  readonly rows: number;
  readonly items: number;
  readonly sweeps: number;
  readonly columnOffsets: Uint32Array;
  readonly columnRow: Uint32Array;
  /** sqrt(o_u) * R_us: the observation's weight is taken into both sides, so that the inner loops read one array. */
  readonly scaled: Float32Array;
  readonly scaledWanted: Float32Array;
  /** sum_u o_u R_us^2 of each source, and lambda + c * d_s. */
  readonly norm: Float64Array;
  readonly penalty: Float64Array;
  readonly sourceOffsets: Uint32Array;
  readonly source: Uint32Array;
  readonly fitted: Float32Array;
}

/** Fits the targets from `from` to `to`. */
function prepare(input: FitInput): (from: number, to: number) => void {
  const { columnOffsets, columnRow, scaled, scaledWanted, norm, penalty } = input;
  const { sourceOffsets, source, fitted } = input;
  const residual = new Float64Array(input.rows);
  return (from, to) => {
    for (let target = from; target < to; target++) {
      const begin = sourceOffsets[target]!;
      const end = sourceOffsets[target + 1]!;
      if (begin === end) continue;
      for (let cell = columnOffsets[target]!; cell < columnOffsets[target + 1]!; cell++)
        residual[columnRow[cell]!] = scaledWanted[cell]!;
      for (let sweep = 0; sweep < input.sweeps; sweep++)
        for (let place = begin; place < end; place++) {
          const token = source[place]!;
          const first = columnOffsets[token]!;
          const last = columnOffsets[token + 1]!;
          const before = fitted[place]!;
          let dot = 0;
          for (let cell = first; cell < last; cell++) dot += scaled[cell]! * residual[columnRow[cell]!]!;
          // Rounded as it is stored, so that the residual is that of the weights which are kept.
          const after = Math.fround((dot + before * norm[token]!) / (norm[token]! + penalty[token]!));
          const step = after - before;
          if (step === 0) continue;
          fitted[place] = after;
          for (let cell = first; cell < last; cell++) residual[columnRow[cell]!]! -= step * scaled[cell]!;
        }
      clear(residual, input, target);
    }
  };
}

export const regression: Kernel<FitInput> = { name: 'regression', prepare };

/** Leaves the residual at zero for the next target, at no more than the cost of what was touched. */
function clear(residual: Float64Array, input: FitInput, target: number): void {
  const { columnOffsets, columnRow, sourceOffsets, source } = input;
  const wipe = (token: number) => {
    for (let cell = columnOffsets[token]!; cell < columnOffsets[token + 1]!; cell++)
      residual[columnRow[cell]!] = 0;
  };
  let touched = columnOffsets[target + 1]! - columnOffsets[target]!;
  for (let place = sourceOffsets[target]!; place < sourceOffsets[target + 1]!; place++) {
    const token = source[place]!;
    touched += columnOffsets[token + 1]! - columnOffsets[token]!;
  }
  // Filling in a row is some eight times as fast as writing here and there.
  if (touched * 8 > residual.length) {
    residual.fill(0);
    return;
  }
  wipe(target);
  for (let place = sourceOffsets[target]!; place < sourceOffsets[target + 1]!; place++) wipe(source[place]!);
}

/** Answers the weights in the order of `sources`. */
export async function fit(
  matrix: Matrix,
  sources: Sources,
  parameters: FitParameters,
  executor: Executor,
  rounds = sweeps,
): Promise<Float32Array> {
  const { rows, items, tokens, columnOffsets, columnRow, columnWeight, columnWanted } = matrix;
  const trust = observationWeights(matrix, parameters.beta);
  const scaled = sharedF32(columnRow.length);
  const scaledWanted = columnWanted === columnWeight ? scaled : sharedF32(columnWanted.length);
  const norm = sharedF64(tokens);
  const penalty = sharedF64(tokens);
  for (let token = 0; token < tokens; token++) {
    let sum = 0;
    for (let cell = columnOffsets[token]!; cell < columnOffsets[token + 1]!; cell++) {
      const value = Math.sqrt(trust[columnRow[cell]!]!) * columnWeight[cell]!;
      scaled[cell] = value;
      sum += scaled[cell]! ** 2;
    }
    norm[token] = sum;
    penalty[token] = parameters.lambda + parameters.c * matrix.degree[token]!;
  }
  if (scaledWanted !== scaled)
    for (let cell = 0; cell < scaledWanted.length; cell++)
      scaledWanted[cell] = Math.sqrt(trust[columnRow[cell]!]!) * columnWanted[cell]!;
  const fitted = sharedF32(sources.source.length);
  const input: FitInput = {
    ...{ rows, items, sweeps: rounds, columnOffsets, columnRow, scaled, scaledWanted, norm, penalty },
    ...{ sourceOffsets: sources.offsets, source: sources.source, fitted },
  };
  await executor.run(regression, input, items);
  return fitted;
}

/** o_u, with an interaction-weighted mean of 1 over users: sum_u d_u o_u = sum_u d_u. */
function observationWeights(matrix: Matrix, beta: number): Float64Array {
  const weights = new Float64Array(matrix.rows);
  let sum = 0;
  let total = 0;
  for (let row = 0; row < matrix.rows; row++) {
    const degree = matrix.rowDegree[row]!;
    weights[row] = degree > 0 ? degree ** -beta : 0;
    if (row < matrix.users) {
      sum += degree * weights[row]!;
      total += degree;
    }
  }
  const scale = sum > 0 ? total / sum : 1;
  return weights.map((weight, row) => weight * scale * matrix.rowTrust[row]!);
}
