import type { Score } from './measure.ts';

const score = (recall: number, ndcg: number): Score => ({ recall, ndcg });

interface PublishedSplit {
  /** What G1 should reach, with all choices made on the training part, and what it reached when last measured. */
  readonly goal: Score;
  readonly measured: Score;
  /** As reported in the papers, which tune on the test part. */
  readonly others: Record<string, Score>;
  /**
   * How often the test part was scored while G1 was developed. Parameters are chosen on the training part, but the
   * algorithm was designed by people who had seen these scores, so the test part is not untouched.
   */
  readonly timesScored: string;
  /** Whether each user's items are in chronological order. In the other files they are sorted, or practically shuffled. */
  readonly orderInFile?: boolean;
}

/** Recall@20 and NDCG@20. */
export const published: Record<string, PublishedSplit> = {
  'ml-1m-lcfn': {
    goal: score(0.2845, 0.2734),
    measured: score(0.2844, 0.2731),
    others: {
      LightGCN: score(0.2576, 0.2427),
      UltraGCN: score(0.2787, 0.2642),
      SimpleX: score(0.2802, 0.267),
    },
    timesScored: 'dozens of times',
  },
  'amazon-cds': {
    goal: score(0.182, 0.122),
    measured: score(0.1797, 0.121),
    others: { UltraGCN: score(0.1622, 0.1043), SimpleX: score(0.1763, 0.1145) },
    timesScored: 'a few times',
  },
  gowalla: {
    goal: score(0.1925, 0.1598),
    measured: score(0.1921, 0.1596),
    others: {
      ItemKNN: score(0.157, 0.1214),
      LightGCN: score(0.183, 0.1554),
      UltraGCN: score(0.1862, 0.158),
      SimpleX: score(0.1872, 0.1557),
      BSPM: score(0.192, 0.1597),
      ChebyCF: score(0.1941, 0.1616),
    },
    timesScored: 'more than a hundred times',
    orderInFile: true,
  },
  yelp2018: {
    goal: score(0.073, 0.0608),
    measured: score(0.0732, 0.061),
    others: {
      ItemKNN: score(0.0639, 0.0531),
      LightGCN: score(0.0649, 0.053),
      UltraGCN: score(0.0683, 0.0561),
      SimpleX: score(0.0701, 0.0575),
      BSPM: score(0.072, 0.0593),
    },
    timesScored: 'a few times',
  },
};
