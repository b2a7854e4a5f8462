import type { Incidence } from '../../data/incidence.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { countsToOffsets, sharedF32, sharedI8, sharedU32 } from '../../lib/arrays.ts';
import type { ModelRows, RowMap } from './map.ts';

const featuresPerRow = 20;
/** A feature may be chosen again, to correct its weight. */
const maxSteps = 2 * featuresPerRow;
const refitSweeps = 3;
/** An item leads to items like itself, although no row of M contains its own item. */
const selfWeight = 0.2;
const valueSteps = 127;

interface GramInput {
  readonly features: number;
  readonly holderOffsets: Uint32Array;
  readonly holder: Uint32Array;
  readonly itemOffsets: Uint32Array;
  readonly itemFeature: Uint32Array;
  readonly gram: Float32Array;
}

/** By feature, how many items with events have it together with each other feature. */
export const gramKernel: Kernel<GramInput> = {
  name: 'features together',
  prepare:
    ({ features, holderOffsets, holder, itemOffsets, itemFeature, gram }) =>
    (from, to) => {
      for (let feature = from; feature < to; feature++) {
        const row = gram.subarray(feature * features, (feature + 1) * features);
        for (let place = holderOffsets[feature]!; place < holderOffsets[feature + 1]!; place++) {
          const item = holder[place]!;
          const end = itemOffsets[item + 1]!;
          for (let cell = itemOffsets[item]!; cell < end; cell++) row[itemFeature[cell]!]! += 1;
        }
      }
    },
};

interface RowsInput extends ModelRows, Omit<GramInput, 'holderOffsets' | 'holder'> {
  readonly mu: number;
  readonly isKnown: Uint8Array;
  readonly count: Uint32Array;
  readonly mapFeature: Uint32Array;
  readonly mapValue: Float32Array;
}

export const rowsKernel: Kernel<RowsInput> = { name: 'attribute map', prepare: prepareRows };

function prepareRows(input: RowsInput): (from: number, to: number) => void {
  const { features, items, mu, gram, itemOffsets, itemFeature, isKnown } = input;
  const { offsets, target, value, rowScale, count, mapFeature, mapValue } = input;
  const gradient = new Float64Array(features);
  const inverse = Float64Array.from({ length: features }, (_, one) => 1 / (gram[one * features + one]! + mu));
  const product = new Float64Array(features);
  const weight = new Float64Array(features);
  const chosen: number[] = [];
  const project = (item: number, amount: number) => {
    const end = itemOffsets[item + 1]!;
    for (let cell = itemOffsets[item]!; cell < end; cell++) product[itemFeature[cell]!]! += amount;
  };
  const steepest = () => {
    let best = -1;
    let most = 0;
    for (let one = 0; one < features; one++) {
      const gain = gradient[one]! ** 2 * inverse[one]!;
      if (gain > most) {
        most = gain;
        best = one;
      }
    }
    return best;
  };
  const step = (feature: number) => {
    const change = gradient[feature]! * inverse[feature]!;
    weight[feature]! += change;
    const first = feature * features;
    for (let one = 0; one < features; one++) gradient[one]! -= change * gram[first + one]!;
    gradient[feature]! -= change * mu;
  };
  const refit = () => {
    for (let sweep = 0; sweep < refitSweeps; sweep++)
      for (const one of chosen) {
        let rest = product[one]!;
        for (const other of chosen) if (other !== one) rest -= gram[one * features + other]! * weight[other]!;
        weight[one] = rest * inverse[one]!;
      }
  };
  return (from, to) => {
    for (let row = from; row < to; row++) {
      product.fill(0);
      for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
        if (isKnown[target[place]!] === 1) project(target[place]!, rowScale[row]! * value[place]!);
      if (row < items && isKnown[row] === 1) project(row, selfWeight);
      gradient.set(product);
      chosen.length = 0;
      for (let turn = 0; turn < maxSteps && chosen.length < featuresPerRow; turn++) {
        const feature = steepest();
        if (feature < 0) break;
        if (weight[feature] === 0) chosen.push(feature);
        step(feature);
      }
      refit();
      chosen.sort((a, b) => a - b);
      for (const [place, feature] of chosen.entries()) {
        mapFeature[row * featuresPerRow + place] = feature;
        mapValue[row * featuresPerRow + place] = weight[feature]!;
        weight[feature] = 0;
      }
      count[row] = chosen.length;
    }
  };
}

/** What does not depend on `mu`. */
export interface MapBasis {
  readonly phi: Incidence;
  readonly isKnown: Uint8Array;
  readonly gram: Float32Array;
}

export async function prepareMap(phi: Incidence, isKnown: Uint8Array, executor: Executor): Promise<MapBasis> {
  const features = phi.columns;
  const holderOffsets = sharedU32(features + 1);
  const eachKnown = (visit: (item: number, feature: number) => void) => {
    for (let item = 0; item < phi.rows; item++)
      if (isKnown[item] === 1)
        for (let cell = phi.offsets[item]!; cell < phi.offsets[item + 1]!; cell++)
          visit(item, phi.column[cell]!);
  };
  eachKnown((_, feature) => holderOffsets[feature + 1]!++);
  countsToOffsets(holderOffsets);
  const holder = sharedU32(holderOffsets[features]!);
  const cursor = holderOffsets.slice();
  eachKnown((item, feature) => {
    holder[cursor[feature]!++] = item;
  });
  const gram = sharedF32(features ** 2);
  const input = { features, holderOffsets, holder, itemOffsets: phi.offsets, itemFeature: phi.column, gram };
  await executor.run(gramKernel, input, features);
  return { phi, isKnown, gram };
}

/**
 * A sparse ridge regression from features of items onto the rows of a model: for source s, over the items k with
 * events, it minimizes
 *
 *     sum_k (M_sk + selfWeight [s = k] - sum_f B_sf phi_kf)^2 + mu sum_f B_sf^2
 *
 * with at most `featuresPerRow` features. They are found greedily, each time the one that lowers the sum most; then
 * the weights of those found are fitted again. Rows are independent of each other.
 */
export async function fitRows(
  { phi, isKnown, gram }: MapBasis,
  model: ModelRows,
  mu: number,
  executor: Executor,
): Promise<RowMap> {
  const { items, offsets, target, value, rowScale } = model;
  const rows = rowScale.length;
  const input: RowsInput = {
    features: phi.columns,
    items,
    mu,
    gram,
    itemOffsets: phi.offsets,
    itemFeature: phi.column,
    isKnown,
    offsets,
    target,
    value,
    rowScale,
    count: sharedU32(rows),
    mapFeature: sharedU32(rows * featuresPerRow),
    mapValue: sharedF32(rows * featuresPerRow),
  };
  await executor.run(rowsKernel, input, rows);
  return quantize(input, rows);
}

function quantize({ count, mapFeature, mapValue }: RowsInput, rows: number): RowMap {
  const offsets = sharedU32(rows + 1);
  const scale = sharedF32(rows);
  const feature = new Uint32Array(mapFeature.length);
  const value = new Int8Array(mapFeature.length);
  let size = 0;
  for (let row = 0; row < rows; row++) {
    const first = row * featuresPerRow;
    const own = mapValue.subarray(first, first + count[row]!);
    const step = Math.fround(own.reduce((most, one) => Math.max(most, Math.abs(one)), 0) / valueSteps);
    scale[row] = step;
    for (const [place, one] of own.entries()) {
      const rounded = step > 0 ? Math.round(one / step) : 0;
      if (rounded === 0) continue;
      feature[size] = mapFeature[first + place]!;
      value[size++] = Math.max(-valueSteps, Math.min(valueSteps, rounded));
    }
    offsets[row + 1] = size;
  }
  const stored = { feature: sharedU32(size), value: sharedI8(size) };
  stored.feature.set(feature.subarray(0, size));
  stored.value.set(value.subarray(0, size));
  return { offsets, scale, ...stored };
}
