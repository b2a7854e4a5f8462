/** Direct access to G1 for its tests and benchmarks. The service uses the registry. */
export { g1, modelOf } from './algorithm.ts';
export { decodeModel, encodeModel } from './model/file.ts';
export type { G1Model } from './model/model.ts';
export { G1Scorer } from './model/score.ts';
export type { G1Parameters } from './parameters.ts';
export type { SearchOptions, SearchResult } from './search/search.ts';
export type { Training } from './train.ts';
export { fitModel, train } from './train.ts';
