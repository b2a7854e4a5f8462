import type { AlgorithmType } from '@tastegraph/contract';
import type { Algorithm, PackedModel } from './algorithm.ts';
import { checkHead, ModelFileError, magicOf, type ReadOptions } from './container.ts';
import { g1 } from './g1/algorithm.ts';
import type { Kernel } from './kernels/parallel.ts';
import { popular } from './popular/algorithm.ts';

/** One line per algorithm. Compilation fails if the contract lists other types. */
const registry: Readonly<Record<AlgorithmType, Algorithm>> = { G1: g1, POPULAR: popular };

export const algorithms: readonly Algorithm[] = Object.values(registry);

/** Throws for a type that this release does not have. */
export function algorithmOf(type: string): Algorithm {
  const found = algorithms.find((algorithm) => algorithm.type === type);
  if (!found) throw new Error(`This release has no algorithm ${type}`);
  return found;
}

/** The algorithm of a model with these first bytes (8 or more). Throws a ModelFileError for a version that it cannot read. */
export function algorithmOfFile(beginning: Uint8Array): Algorithm {
  const magic = magicOf(beginning);
  const found = algorithms.find(({ file }) => file.magic === magic);
  if (!found) throw new ModelFileError('The file is not a model of an algorithm that this release has');
  checkHead(found.file, beginning);
  return found;
}

/** A model of any algorithm, from its file. Throws a ModelFileError. */
export function readModel(file: Uint8Array, options?: ReadOptions): PackedModel {
  const algorithm = algorithmOfFile(file);
  return { declines: algorithm.declines, ...algorithm.decode(file, options) };
}

/** For threads, which receive only a kernel's name: functions cannot be sent between threads. */
export const kernels: readonly Kernel<never>[] = algorithms.flatMap((algorithm) => algorithm.kernels);
