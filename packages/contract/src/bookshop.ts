/** All examples use one bookshop with one set of IDs, so that they can be read in sequence. */
export const ids = {
  users: 'uds_01kcn8x2v7e4q9t3r6m1b5w0hd',
  items: 'ids_01kcn8x4j2f8s5a7c3k9p6n1ze',
  events: 'eds_01kcn8x6b9g1t7d2h5v8y4q3xf',
  project: 'prj_01kcn8y3m5h6w2j9n4r7e1s8tg',
  algorithm: 'alg_01kcn8yq8d7k3x5z1b6f9c2v4a',
  model: 'mdl_01kcn93c4s9m6p8t2g5h1w7r3j',
  ranker: 'mdl_01kcnbz7e2n5q1v9y4d8k6a3xc',
  training: 'job_01kcn90a1r4w7e9t3u5j8g2hcm',
  deployment: 'job_01kcn95h6t2y8q4c1m7n3b9vxk',
  querying: 'job_01kcn9a9w5e1r8s6d2f4j7g3hp',
  clustering: 'job_01kcn9dk3z8x4c6v1b9n5m2aqt',
  export: 'job_01kcn9fw8m3p5t7y2r6k4q1v9d',
  import: 'job_01kcn9j3w6e8r1t5y7p2q4s9dm',
  recommending: 'job_01kcn9gq5b7d1x8n3s6j4v2zyt',
  recommendation: 'rec_01kcna2m7x5w9r3t6y8b4d1f0g6f1ce2a98b7d3405',
  erasure: 'ers_01kcn9hv6q2p8d4s7k1y3f5b9w',
  schedule: 'sch_01kcnc5q7r4t8v2x6z9b3d1f0k',
  experiment: 'exp_01kcnd2x5r8t1v4z7b9d3f6h0m',
  webhook: 'whk_01kcnc3v8k2m5t7y9r1w4d6f0j',
  person: 'prs_01kcnb1t4w8z6m2q9r5y7d3f0h',
} as const;

/** 5 January 2026, 10:00 UTC. */
export const morning = 1_767_607_200_000;
export const minute = 60_000;

export const servingUri = `https://recommend.example.com/projects/${ids.project}`;

/** The end of an example of a list, whose entries fit on one page. */
export const lastPage = { next_page_token: null, message: null };
