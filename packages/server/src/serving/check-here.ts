import { byPopularity, decodeModel } from '@tastegraph/algorithms';

/** Reads the file through. Answers its items, the most popular first, which takes as long to sort; throws a ModelFileError. */
export const checkHere = (file: Uint8Array): Uint32Array => byPopularity(decodeModel(file).model);
