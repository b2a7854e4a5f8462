"""Trains one recommender of the Python world and prints its lists as JSON: peers.py NAME TRAIN_FILE

TRAIN_FILE has lines `user item item …`. Every peer is tuned as its users would: each combination of a small grid is trained on
90 % of each user's items and judged by NDCG@20 on the rest; the best one is trained again on all items.
"""

import itertools
import json
import os
import sys
import warnings

# As implicit asks for: its own threads are faster without those of the library for linear algebra.
if sys.argv[1].startswith("implicit"):
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from scipy import sparse

N = 20
SEED = 1
# implicit says how long it took to convert a matrix.
warnings.filterwarnings("ignore")


def read(path):
    users, items = [], []
    with open(path) as file:
        for line in file:
            user, *rest = map(int, line.split())
            users += [user] * len(rest)
            items += rest
    shape = (max(users) + 1, max(items) + 1)
    return sparse.csr_matrix((np.ones(len(items), np.float32), (users, items)), shape)


def hold_out(matrix):
    """Hides a tenth of each user's items, at least one of five."""
    random = np.random.default_rng(SEED)
    kept, hidden = matrix.copy(), {}
    for user in range(matrix.shape[0]):
        start, end = matrix.indptr[user], matrix.indptr[user + 1]
        count = max(1, round((end - start) / 10)) if end - start >= 5 else 0
        chosen = start + random.permutation(end - start)[:count]
        if count:
            hidden[user] = set(matrix.indices[chosen].tolist())
            kept.data[chosen] = 0
    kept.eliminate_zeros()
    return kept, hidden


def ndcg(lists, hidden):
    gains = 1 / np.log2(np.arange(N) + 2)
    return np.mean(
        [
            sum(gains[place] for place, item in enumerate(lists[user]) if item in found)
            / gains[: min(len(found), N)].sum()
            for user, found in hidden.items()
        ]
    )


def als(matrix, factors, regularization, alpha):
    from implicit.cpu.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(
        factors=factors, regularization=regularization, alpha=alpha, iterations=15, random_state=SEED
    )
    model.fit(matrix, show_progress=False)
    return lambda users: model.recommend(users, matrix[users], N=N)[0].tolist()


def bm25(matrix, k, k1, b):
    from implicit.nearest_neighbours import BM25Recommender

    model = BM25Recommender(K=k, K1=k1, B=b)
    model.fit(matrix, show_progress=False)
    return lambda users: model.recommend(users, matrix[users], N=N)[0].tolist()


def ease(matrix, penalty):
    gram = (matrix.T @ matrix).toarray()
    gram[np.diag_indices_from(gram)] += penalty
    inverse = np.linalg.inv(gram)
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0)

    def recommend(users):
        rows = matrix[users]
        scores = np.asarray(rows @ weights)
        scores[rows.nonzero()] = -np.inf
        best = np.argpartition(-scores, N, axis=1)[:, :N]
        order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1, kind="stable")
        return np.take_along_axis(best, order, 1).tolist()

    return recommend


def spark_als(matrix, rank, penalty, alpha):
    from pyspark.ml.recommendation import ALS
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "6g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    entries = matrix.tocoo()
    rows = zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist())
    frame = spark.createDataFrame(rows, ["user", "item", "rating"]).repartition(4).cache()
    model = ALS(rank=rank, regParam=penalty, alpha=alpha, implicitPrefs=True, maxIter=10, seed=SEED).fit(frame)
    # Spark does not leave out what a user has: the factors are joined here, which is faster than its own join.
    users = {row.id: row.features for row in model.userFactors.collect()}
    factors = model.itemFactors.collect()
    known = np.array([row.id for row in factors])
    items = np.array([row.features for row in factors], np.float32)
    frame.unpersist()

    def recommend(wanted):
        lists = []
        for user in wanted:
            if user not in users:
                lists.append([])
                continue
            scores = np.full(matrix.shape[1], -np.inf, np.float32)
            scores[known] = items @ np.array(users[user], np.float32)
            scores[matrix[user].indices] = -np.inf
            best = np.argpartition(-scores, N)[:N]
            lists.append(best[np.argsort(-scores[best], kind="stable")].tolist())
        return lists

    return recommend


PEERS = {
    "implicit-als": (als, {"factors": [32, 64, 128], "regularization": [1, 10, 100], "alpha": [1, 5, 20]}),
    "implicit-bm25": (bm25, {"k": [50, 100, 200, 500], "k1": [0.5, 1.2, 5], "b": [0.2, 0.5, 0.75]}),
    "ease": (ease, {"penalty": [50, 100, 200, 400, 800, 1600]}),
    "spark-als": (spark_als, {"rank": [32, 64], "penalty": [0.01, 0.1], "alpha": [1, 5]}),
}


def lists_of(recommend, users, batch=1024):
    lists = {}
    for at in range(0, len(users), batch):
        part = users[at : at + batch]
        lists.update(zip(part.tolist(), recommend(part)))
    return lists


def main(name, path):
    train, grid = PEERS[name]
    matrix = read(path)
    kept, hidden = hold_out(matrix)
    judged = np.array(sorted(hidden))
    tried = []
    for values in itertools.product(*grid.values()):
        parameters = dict(zip(grid, values))
        score = ndcg(lists_of(train(kept, **parameters), judged), hidden)
        tried.append({"parameters": parameters, "ndcg": score})
        print(f"  {name} {parameters}: {score:.4f}", file=sys.stderr)
    best = max(tried, key=lambda one: one["ndcg"])["parameters"]
    lists = lists_of(train(matrix, **best), np.flatnonzero(np.diff(matrix.indptr)))
    print(json.dumps({"parameters": best, "tried": len(tried), "lists": lists}))


if __name__ == "__main__":
    main(*sys.argv[1:])
