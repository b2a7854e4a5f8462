export type { AttributeCode, AttributeRecord, AttributeValue, Scalar } from './attributes.ts';
export { countTokens, encodeAll, encoder } from './attributes.ts';
export { clusterUsers } from './clusters/cluster-users.ts';
export type {
  Cluster,
  Clustering,
  ClusteringInput,
  ClusteringOptions,
  Distinction,
  ItemsByValue,
  MapPlace,
  MapPoints,
} from './clusters/clustering.ts';
export type { MatchInput } from './clusters/match.ts';
export { matchClusters } from './clusters/match.ts';
export { ModelFileError } from './container.ts';
export { countTargets, EventColumns, unusedType } from './event-columns.ts';
export type { Catalogue } from './g1/file.ts';
export { checkModelHead, decodeModel, encodeModel } from './g1/file.ts';
export type { TrainingData } from './g1/fitter.ts';
export type { Incidence } from './g1/matrix.ts';
export type { Estimate, Metrics } from './g1/metrics.ts';
export type { G1Model } from './g1/model.ts';
export type { G1Parameters } from './g1/parameters.ts';
export type { Part, Recommendation, RecommendOptions, User } from './g1/score.ts';
export { byPopularity, G1Scorer } from './g1/score.ts';
export type { SearchOptions, SearchResult } from './g1/search.ts';
export type { Training } from './g1/train.ts';
export { fitModel, train } from './g1/train.ts';
export { IncidenceBuilder } from './incidence-builder.ts';
export type { Interactions } from './interactions.ts';
export { InteractionsBuilder, longestHistory } from './interactions.ts';
export type { LearnableKind, LearnedAttribute } from './learn-codes.ts';
export { CodeLearner, learnCodes } from './learn-codes.ts';
export type { Executor, Kernel } from './parallel.ts';
export { sequential } from './parallel.ts';
export { seededRandom } from './random.ts';
export { ndcg, recall } from './ranking-metrics.ts';
export { chooseEvidence } from './taste/evidence.ts';
export type { ItemValues } from './taste/item-values.ts';
export { carriersOf, findValue, ItemValuesBuilder, valuesOf } from './taste/item-values.ts';
export type { Distribution, UsageCondition } from './taste/queries.ts';
export { distributeUsers, listUsers } from './taste/queries.ts';
export type { TasteSnapshot } from './taste/snapshot.ts';
export { decodeSnapshot, encodeSnapshot, keepActiveUsers } from './taste/snapshot.ts';
export { countUsersWithout, Usage } from './taste/usage.ts';
export type { Texts } from './texts.ts';
export { packTexts, TextsBuilder, textAt } from './texts.ts';
export { TopK } from './top-k.ts';
