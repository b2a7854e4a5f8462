export type { Algorithm, DataNeeds, DataSize, Model, PackedModel, TrainingReport } from './algorithm.ts';
export { clusterUsers } from './clusters/cluster-users.ts';
export type { Cluster, Clustering, Distinction } from './clusters/clustering.ts';
export { matchClusters } from './clusters/match.ts';
export { ModelFileError } from './container.ts';
export type { AttributeCode, AttributeRecord, Scalar } from './data/attributes.ts';
export { countTokens, encodeAll, encoder } from './data/attributes.ts';
export type { Catalogue } from './data/catalogue.ts';
export type { EventPart } from './data/event-columns.ts';
export { countTargets, EventColumns, largestWeight, unusedType } from './data/event-columns.ts';
export type { Incidence } from './data/incidence.ts';
export { IncidenceBuilder } from './data/incidence.ts';
export type { Interactions } from './data/interactions.ts';
export { InteractionsBuilder, longestHistory } from './data/interactions.ts';
export type { LearnableKind } from './data/learn-codes.ts';
export { CodeLearner, learnCodes } from './data/learn-codes.ts';
export type { Texts } from './data/texts.ts';
export { packTexts, TextsBuilder, textAt, unpackTexts } from './data/texts.ts';
export type { Metrics } from './evaluation/metrics.ts';
export { ndcg, recall } from './evaluation/metrics.ts';
export type { Executor } from './kernels/parallel.ts';
export { sequential } from './kernels/parallel.ts';
export { seededRandom, shuffle } from './lib/random.ts';
export { TopK } from './lib/top-k.ts';
export { algorithmOf, algorithmOfFile, algorithms, readModel } from './registry.ts';
export {
  type Boost,
  type LateEvidence,
  type LateItems,
  type Part,
  type Recommendation,
  type RecommendOptions,
  type Scorer,
  similaritySteps,
  type TakenItem,
  type User,
} from './scorer.ts';
export type { Moments, SequentialInterval } from './statistics/confidence-sequence.ts';
export { minUsersPerVariant } from './statistics/confidence-sequence.ts';
export type { Estimate } from './statistics/interval.ts';
export type { PairedLoss } from './statistics/paired-loss.ts';
export { comparePaired, judgeLoss } from './statistics/paired-loss.ts';
export { checkSampleRatio } from './statistics/sample-ratio.ts';
export { compareVariants } from './statistics/verdict.ts';
export { AffinityReader, countUsersWithout } from './taste/affinity.ts';
export type { ItemValues } from './taste/item-values.ts';
export { carriersOf, findValues, ItemValuesBuilder, valuesOf } from './taste/item-values.ts';
export type { AffinityCondition } from './taste/queries.ts';
export { distributeUsers, listUsers } from './taste/queries.ts';
export type { TasteSnapshot } from './taste/snapshot.ts';
export {
  decodeSnapshot,
  encodeSnapshot,
  knownUsers,
  locateUserIds,
  snapshotHeadBytes,
} from './taste/snapshot.ts';
export type { TrainingData, TypeContribution, TypeWorth } from './training.ts';
export { chooseWindow, defaultWindowHours } from './trend/choose-window.ts';
export { sliceEnds, sliceOf, sliceStart } from './trend/slices.ts';
export type { Trend, TrendingItem } from './trend/trend.ts';
export { TrendBuilder } from './trend/trend.ts';
export { packVector } from './vectors/pack.ts';
