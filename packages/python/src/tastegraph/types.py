# Generated from the contract (npm run generate); do not edit.
"""The types of requests and responses."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

class Algorithm(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    algorithm_id: str
    """The ID of the algorithm. It starts with `alg_`."""
    name: str
    """The display name of the algorithm."""
    algorithm_type: AlgorithmType
    algorithm_parameters: AlgorithmParameters


class AlgorithmParameters(TypedDict):
    """The parameters of the algorithm; each algorithm accepts only its own. Training chooses every
    parameter that is not set; with an empty object (`{}`), or without it, it chooses all of them.
    """
    neighbors: NotRequired[int]
    """G1: The maximum number of related items that the model keeps per item."""
    regularization: NotRequired[float]
    """G1: The regularization strength, the same for every item."""
    popularity_regularization: NotRequired[float]
    """G1: Additional regularization per item, in proportion to how often the item occurs in events.
    """
    activity_exponent: NotRequired[float]
    """G1: How strongly users with many events are down-weighted in training."""
    popularity_scaling: NotRequired[float]
    """G1: How strongly rare items are boosted in the scores."""
    recency: NotRequired[float]
    """G1: How strongly a user's older events are down-weighted when items are scored for the user.
    """
    taste_weight: NotRequired[float]
    """G1: The weight of items that go together (long-term taste), relative to items that follow each
    other (transitions), which have the weight 1.
    """
    event_weights: NotRequired[EventWeights]
    attribute_weight: NotRequired[float]
    """G1: The weight of item attributes for items without events, relative to what the model learned
    from events. 0 leaves item attributes out.
    """
    half_life_days: NotRequired[float]
    """POPULAR: The age, in days, at which an event has half the weight of a new one. At 36,500 days
    (100 years), all events have practically the same weight.
    """
    by_attribute: NotRequired[str]
    """POPULAR: The user attribute by which popularity is measured: with `country`, users get what is
    popular in their country; with `none`, what is popular among all users. An attribute that no
    user has is the same as `none`.
    """


class AlgorithmParametersInput(TypedDict):
    """The parameters of the algorithm; each algorithm accepts only its own. Training chooses every
    parameter that is not set; with an empty object (`{}`), or without it, it chooses all of them.
    """
    neighbors: NotRequired[int | None]
    """G1: The maximum number of related items that the model keeps per item."""
    regularization: NotRequired[float | None]
    """G1: The regularization strength, the same for every item."""
    popularity_regularization: NotRequired[float | None]
    """G1: Additional regularization per item, in proportion to how often the item occurs in events.
    """
    activity_exponent: NotRequired[float | None]
    """G1: How strongly users with many events are down-weighted in training."""
    popularity_scaling: NotRequired[float | None]
    """G1: How strongly rare items are boosted in the scores."""
    recency: NotRequired[float | None]
    """G1: How strongly a user's older events are down-weighted when items are scored for the user.
    """
    taste_weight: NotRequired[float | None]
    """G1: The weight of items that go together (long-term taste), relative to items that follow each
    other (transitions), which have the weight 1.
    """
    event_weights: NotRequired[EventWeights | None]
    """G1: The weight of each event type. The target event type has the weight 1 if it is not listed.
    """
    attribute_weight: NotRequired[float | None]
    """G1: The weight of item attributes for items without events, relative to what the model learned
    from events. 0 leaves item attributes out.
    """
    half_life_days: NotRequired[float | None]
    """POPULAR: The age, in days, at which an event has half the weight of a new one. At 36,500 days
    (100 years), all events have practically the same weight.
    """
    by_attribute: NotRequired[str | None]
    """POPULAR: The user attribute by which popularity is measured: with `country`, users get what is
    popular in their country; with `none`, what is popular among all users. An attribute that no
    user has is the same as `none`.
    """


AlgorithmType: TypeAlias = Literal["G1", "POPULAR"]
"""The algorithm that trains the model. `G1`: Learns from the events of all users which items go
together and which follow each other, and recommends what fits each user's own events. The default
choice. `POPULAR`: Recommends popular items, with more weight on recent events, among all users or
among users with the same value of a user attribute. About 100 target events are enough.
"""


class AnalysisJobResult(TypedDict):
    download_url: str
    """The URL to download the result from; for an export or a recommending job, its first file; for an
    import, the rejected records. It needs no token. Each call to `/get-job` or `/list-jobs` returns
    a new URL. Once the result has expired, `expired_at_sec` is in the past and the URL returns 404.
    """
    expired_at_sec: int
    """When the URL expires, in seconds since the Unix epoch."""
    message: str | None
    """A note about the result, for example that a value was not found. Null if there is none."""
    chart_urls: NotRequired[list[str]]
    """The URLs of the charts, as SVG: one per query of a distribution, in the same order, or the map
    of the clusters. Absent from `/list-jobs`.
    """
    map_url: NotRequired[str]
    """The URL of the map of a clustering as JSON: the clusters and some of their users with their
    positions, to draw it yourself. Absent from `/list-jobs`.
    """
    table_url: NotRequired[str]
    """The URL of the result as a table, if the job was submitted with `table_format`. Absent from
    `/list-jobs`.
    """
    download_urls: NotRequired[list[str]]
    """The URLs of all files of an export or a recommending job, in order. Absent from `/list-jobs`.
    """
    record_count: NotRequired[int]
    """The number of records in the files of an export, or that an import has written."""
    rejected_count: NotRequired[int]
    """The number of records that an import has rejected."""
    user_count: NotRequired[int]
    """The number of users in the files of a recommending job."""


class ApiKey(TypedDict):
    api_key: str
    """The API key. It starts with `tg_` and the name of the cell. It is not a secret."""
    name: str | None
    """The display name of the key. Null for a key that was created without one."""
    operations: list[str] | None
    """The paths of the operations that the key allows. Null means all."""
    event_dataset_id: str | None
    """For a write key: the event dataset that it writes to. Null for every other key."""
    user_dataset_id: str | None
    """For a write key: the user dataset that it writes the traits of users to. Null if there is none,
    and for every other key.
    """
    created_by: str | None
    """The ID of the person, or the API key, that created the key. Null if the operator did."""
    created_ts: int
    """When the key was created, in milliseconds since the Unix epoch (UTC)."""
    revoked_ts: int | None
    """When the key was revoked, in milliseconds since the Unix epoch (UTC). Null while it works."""
    last_used_ts: int | None
    """When the key was last used for a token or a call, to the minute, in milliseconds since the Unix
    epoch (UTC). Null if it was not used since this is recorded.
    """


AppliedRule = TypedDict(
    "AppliedRule",
    {
        "rule": "Literal[\"boost\", \"pin\", \"promote\", \"new_item_share\", \"diversity\"]",
        "if": "NotRequired[str]",
        "factor": "NotRequired[float]",
        "position": "NotRequired[int]",
        "probability": "NotRequired[float]",
    },
)


class AssignedVariant(TypedDict):
    """The experiment that the call was part of. Absent if it was not part of one: no experiment runs,
    the call has no `user_id` or names a `model_id`, or the user is beyond the shares of the
    variants.
    """
    experiment_id: str
    """The ID of the experiment. It starts with `exp_`."""
    variant: str
    """The name of the variant."""


AttributeKind: TypeAlias = Literal["NUMERICAL", "CATEGORICAL"]


AttributeSchema: TypeAlias = "dict[str, AttributeKind]"


AttributeValue: TypeAlias = "str | float | bool | None | list[str | bool]"


Attributes: TypeAlias = "dict[str, AttributeValue]"
"""The attributes, by name. An array of strings gives the attribute several values."""


class AuditEvent(TypedDict):
    ts: int
    """When the change was made; for several calls, when the first one was, in milliseconds since the
    Unix epoch (UTC).
    """
    actor_type: Literal["PERSON", "API_KEY"]
    """Who made the change."""
    actor_id: str
    """The ID of the person, or the API key."""
    actor_email: str | None
    """The person's email at that time. Null for an API key."""
    operation: str
    """The path of the operation, such as `/delete-project`."""
    object_id: str | None
    """What was changed: the ID that the service issued; for a scenario, the ID of the project and the
    name.
    """
    result: str
    """`SUCCEEDED`, or the code of the error if it is not known whether the change took effect."""
    calls: int
    """The number of calls. Above 1 only for upserts and deletions of records, which are counted per
    hour and dataset.
    """
    request_id: str
    """The `X-Request-Id` of the call, or of the last one."""


Boost = TypedDict(
    "Boost",
    {
        "if": "str",
        "factor": "float",
    },
)


class CallStatistics(TypedDict):
    ts: int
    """The start of the interval, in milliseconds since the Unix epoch (UTC)."""
    calls: int
    """The number of recommendation calls, whatever their outcome."""
    client_errors: int
    """Calls with a response of status 4xx, except 429."""
    refused: int
    """Calls that were refused with 429, because of `qps` or too many concurrent calls."""
    server_errors: int
    """Calls with a response of status 5xx."""
    degraded: int
    """Successful calls whose response lists missing parts in `degraded`."""
    p50_ms: float | None
    """The median time that a successful call took in the service, in milliseconds. Null without one.
    """
    p99_ms: float | None
    """The 99th percentile of that time. Both are exact to the next of 20 steps, which are about a
    factor of 1.5 apart.
    """


class CallTotals(TypedDict):
    """All recommendation calls in the time range."""
    calls: int
    """The number of recommendation calls, whatever their outcome."""
    client_errors: int
    """Calls with a response of status 4xx, except 429."""
    refused: int
    """Calls that were refused with 429, because of `qps` or too many concurrent calls."""
    server_errors: int
    """Calls with a response of status 5xx."""
    degraded: int
    """Successful calls whose response lists missing parts in `degraded`."""
    p50_ms: float | None
    """The median time that a successful call took in the service, in milliseconds. Null without one.
    """
    p99_ms: float | None
    """The 99th percentile of that time. Both are exact to the next of 20 steps, which are about a
    factor of 1.5 apart.
    """


class CallerUsage(TypedDict):
    project_id: str | None
    """The ID of the project. Null for calls that belong to no project, such as upserts."""
    caller_type: Literal["PERSON", "API_KEY"]
    """Who called."""
    caller_id: str
    """The ID of the person, or the API key."""
    recommendations: int
    """The number of recommendation calls."""
    other_calls: int
    """The number of other calls."""
    errors: int
    """How many of all these calls had a response of status 4xx or 5xx."""


ClusterType: TypeAlias = Literal["user"]
"""What to cluster."""


class ClusteringJobData(TypedDict):
    model_id: str
    """The ID of the model. It starts with `mdl_`."""
    cluster_type: ClusterType
    table_format: NotRequired[TableFormat]
    parameters: ClusteringParameters


class ClusteringParameters(TypedDict):
    """The parameters of the clustering. All of them are optional."""
    min_user_num: NotRequired[int]
    """The minimum number of users in a cluster. Smaller clusters are dropped, and their users are not
    assigned to a cluster. 0 and 1 both mean no minimum.
    """
    max_clusters: NotRequired[int]
    """The maximum number of clusters."""


class ClusteringParametersInput(TypedDict):
    """The parameters of the clustering. All of them are optional."""
    min_user_num: NotRequired[int | None]
    """The minimum number of users in a cluster. Smaller clusters are dropped, and their users are not
    assigned to a cluster. 0 and 1 both mean no minimum.
    """
    max_clusters: NotRequired[int | None]
    """The maximum number of clusters."""


class ColdUserMetrics(TypedDict):
    model: Metrics
    popularity: Metrics


class ComparedModels(TypedDict):
    generator_model_id: str
    """The ID of the deployed generator. It starts with `mdl_`."""
    ranker_model_id: str | None
    """The ID of the deployed ranker, or null."""


class CreatedApiKey(TypedDict):
    api_key: str
    """The API key. It starts with `tg_` and the name of the cell. It is not a secret."""
    name: str | None
    """The display name of the key. Null for a key that was created without one."""
    operations: list[str] | None
    """The paths of the operations that the key allows. Null means all."""
    event_dataset_id: str | None
    """For a write key: the event dataset that it writes to. Null for every other key."""
    user_dataset_id: str | None
    """For a write key: the user dataset that it writes the traits of users to. Null if there is none,
    and for every other key.
    """
    created_by: str | None
    """The ID of the person, or the API key, that created the key. Null if the operator did."""
    created_ts: int
    """When the key was created, in milliseconds since the Unix epoch (UTC)."""
    revoked_ts: int | None
    """When the key was revoked, in milliseconds since the Unix epoch (UTC). Null while it works."""
    last_used_ts: int | None
    """When the key was last used for a token or a call, to the minute, in milliseconds since the Unix
    epoch (UTC). Null if it was not used since this is recorded.
    """
    api_secret: str
    """The secret of the key. It is not stored and cannot be shown again."""


class CreatedWebhook(TypedDict):
    webhook_id: str
    """The ID of the webhook. It starts with `whk_`."""
    url: str
    """Where to send the messages, with `http://` or `https://`, without credentials and fragment.
    Unless the operator allows it, addresses of private networks are refused.
    """
    events: list[WebhookEventType]
    """What to send messages about."""
    enabled: bool
    """Whether messages are sent."""
    disabled_reason: str | None
    """Why the service has disabled the webhook: it failed for a whole day, answered 410, or its
    backlog was full. Null if it is enabled, or if you have disabled it.
    """
    created_ts: int
    """When the webhook was created, in milliseconds since the Unix epoch (UTC)."""
    last_delivered_ts: int | None
    """When a message was last delivered, in milliseconds since the Unix epoch (UTC). Null if none was.
    """
    last_failure: WebhookFailure | None
    """The last attempt that failed. Null after a success."""
    pending: int
    """The number of messages that are not delivered yet."""
    secret: str
    """The secret with which messages are signed, to verify them with a library for Standard Webhooks.
    Only the responses that create it have it: store it.
    """


class CreatedWriteKey(TypedDict):
    api_key: str
    """The API key. It starts with `tg_` and the name of the cell. It is not a secret."""
    name: str | None
    """The display name of the key. Null for a key that was created without one."""
    operations: list[str] | None
    """The paths of the operations that the key allows. Null means all."""
    event_dataset_id: str | None
    """For a write key: the event dataset that it writes to. Null for every other key."""
    user_dataset_id: str | None
    """For a write key: the user dataset that it writes the traits of users to. Null if there is none,
    and for every other key.
    """
    created_by: str | None
    """The ID of the person, or the API key, that created the key. Null if the operator did."""
    created_ts: int
    """When the key was created, in milliseconds since the Unix epoch (UTC)."""
    revoked_ts: int | None
    """When the key was revoked, in milliseconds since the Unix epoch (UTC). Null while it works."""
    last_used_ts: int | None
    """When the key was last used for a token or a call, to the minute, in milliseconds since the Unix
    epoch (UTC). Null if it was not used since this is recorded.
    """
    write_key: str
    """The key to send, as `Authorization: Bearer <write key>` or as the user name of HTTP Basic
    authentication. It begins with `api_key`. It is not stored and cannot be shown again.
    """


class DailyOutcome(TypedDict):
    day: str
    """The day, in UTC."""
    scenario: str
    """The scenario of the calls; `default` for calls without one."""
    model_id: str | None
    """The ID of the model that generated the recommendations."""
    experiment_id: str | None
    """The ID of the experiment. Null for calls that were not part of one."""
    variant: str | None
    """The variant of the experiment. Null for calls that were not part of one."""
    answers: int
    """The number of responses."""
    clicked: OutcomeMeasure
    converted: OutcomeMeasure
    target_events: OutcomeMeasure
    value: OutcomeMeasure


class DailyVisitOutcome(TypedDict):
    day: str
    """The day, in UTC."""
    visits: int
    """The number of visits: a user and an item, per day."""
    converted: VisitMeasure
    target_events: VisitMeasure
    value: VisitMeasure


DegradedPart: TypeAlias = Literal["history", "ranker", "trend", "variant", "experiment"]
"""`history`: The events of the user could not be read in time. `ranker`: The ranker model failed.
`trend`: The events could not be counted in time. `variant`: The model of the variant could not be
used, so the deployed one answered. `experiment`: The experiment could not be read, so the response
is not part of it.
"""


class Deployment(TypedDict):
    generator_model_id: str
    """The ID of the model that generates the recommendations. It starts with `mdl_`."""
    ranker_model_id: str | None
    """The ID of the model that re-ranks the recommendations. Null if there is none."""
    qps: int
    """The number of recommendation calls allowed per second."""
    deployed_ts: int
    """When the model was deployed, in milliseconds since the Unix epoch (UTC)."""
    previous_model_id: str | None
    """The ID of the generator to which `/rollback-deployment` returns. Null if no other models were
    deployed before.
    """


class DeploymentJobData(TypedDict):
    generator_model_id: str
    """The ID of the model that generates the recommendations. It starts with `mdl_`."""
    ranker_model_id: str | None
    """The ID of the model that re-ranks the recommendations. Null if there is none."""
    guard: NotRequired[Guard]


class DeploymentJobResult(TypedDict):
    serving_uri: str
    """The URL of the project's recommendation service."""
    deployed: NotRequired[bool]
    """Whether the models were deployed. False if the guard refused them: the previous deployment then
    keeps serving. Absent without a guard.
    """
    guard: NotRequired[GuardReport]


class Diversity(TypedDict):
    """Makes a page varied: by `level`, by `attribute` and `max_per_value`, or both. Items that are
    left out of a page may be on the next one.
    """
    level: NotRequired[Literal["NONE", "LOW", "MEDIUM", "HIGH"]]
    """How strongly to prefer items that differ from the items above them. A higher level makes the
    list more varied, but the order follows the scores less.
    """
    attribute: NotRequired[str]
    """The name of the item attribute."""
    max_per_value: NotRequired[int]
    """The maximum number of items per page with the same value of `attribute`. An item whose attribute
    is a list counts for each of its values. Items without the attribute are not limited.
    """


class DiversityInput(TypedDict):
    """Makes a page varied: by `level`, by `attribute` and `max_per_value`, or both. Items that are
    left out of a page may be on the next one.
    """
    level: NotRequired[Literal["NONE", "LOW", "MEDIUM", "HIGH"] | None]
    """How strongly to prefer items that differ from the items above them. A higher level makes the
    list more varied, but the order follows the scores less.
    """
    attribute: NotRequired[str | None]
    """The name of the item attribute."""
    max_per_value: NotRequired[int | None]
    """The maximum number of items per page with the same value of `attribute`. An item whose attribute
    is a list counts for each of its values. Items without the attribute are not limited.
    """


class Erasure(TypedDict):
    erasure_id: str
    """The ID of the erasure. It starts with `ers_`."""
    user_id: str | None
    """Your ID for the user. Null once the erasure is `DONE`, because the receipt does not keep it.
    """
    status: Literal["RUNNING", "DONE"]
    """The status of the erasure. `DONE` means that all records and files with the user are removed.
    """
    created_ts: int
    """When the erasure started, in milliseconds since the Unix epoch (UTC)."""
    records_deleted_ts: int | None
    """When the last record was deleted, in milliseconds since the Unix epoch (UTC). Null while records
    are still being deleted.
    """
    finished_ts: int | None
    """When the erasure finished, in milliseconds since the Unix epoch (UTC). Null until it is `DONE`.
    """
    removed: list[ErasureRemoved]
    """What has been removed so far. Datasets and projects without data of the user are left out."""
    remains: list[ErasureRemaining]
    """Where data of the user may remain, because the erasure does not reach it."""


class ErasureRemaining(TypedDict):
    what: str
    """What may still contain data of the user."""
    until: str
    """When that data is removed, or who decides when it is."""


class ErasureRemoved(TypedDict):
    where: str
    """The ID of the dataset, or of the project to which the files belonged."""
    kind: Literal["USERS", "EVENTS", "SNAPSHOTS", "RESULTS", "DECISIONS"]
    """What was removed. `USERS` and `EVENTS` are records. `SNAPSHOTS` are the training data that is
    kept with each model. `RESULTS` are the results of jobs, such as querying and clustering jobs.
    `DECISIONS` are answers of recommendation calls in the decision log.
    """
    count: int
    """The number of records, files or answers removed."""


ErrorCode: TypeAlias = Literal["INVALID_REQUEST", "UNAUTHENTICATED", "SCOPE_MISSING", "ROLE_MISSING", "CSRF_REJECTED", "QUOTA_EXCEEDED", "NOT_FOUND", "METHOD_NOT_ALLOWED", "MODEL_DEPLOYED", "MODEL_KEPT", "MODEL_UNFIT", "DEPLOYMENT_CHANGED", "DATASET_IN_USE", "SCENARIO_EXISTS", "SCENARIO_CHANGED", "EXPERIMENT_RUNNING", "EXPERIMENT_STOPPED", "LAST_OWNER", "PROJECT_NOT_DEPLOYED", "NO_EARLIER_DEPLOYMENT", "JOB_NOT_CANCELABLE", "JOB_NOT_ENDED", "TOO_MANY_RECORDS", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE", "QPS_EXCEEDED", "TOO_MANY_REQUESTS", "INTERNAL", "UNAVAILABLE"]
"""The error code. Its meaning never changes."""


class Estimate(TypedDict):
    """A metric with its 95% confidence interval. The interval is wider with fewer users, and 0 to 1
    with none.
    """
    value: float
    """The measured value."""
    low: float
    """The lower end of the 95% confidence interval."""
    high: float
    """The upper end of the 95% confidence interval."""


EventAttributes: TypeAlias = "dict[str, Any]"
"""The attributes of the event, by name. They are stored, but neither checked against the attribute
schema nor used in training.
"""


class EventChange(TypedDict):
    """An event in a call with `mode` `MERGE`. If the event exists, absent fields keep their value. A
    new event needs the required fields of `EventRecord`.
    """
    event_id: str
    """Your ID for the event, unique in the dataset. Control characters are not allowed."""
    user_id: NotRequired[str | None]
    """Your ID for the user. Control characters are not allowed."""
    item_id: NotRequired[str | None]
    """Your ID for the item. Control characters are not allowed."""
    ts: NotRequired[int | None]
    """When the event happened, at most 24 hours ahead of now, in milliseconds since the Unix epoch
    (UTC).
    """
    event_type: NotRequired[str | None]
    """The type of the event, such as `view` or `buy`."""
    event_value: NotRequired[float | None]
    """The weight of the event in training and recommendations, relative to other events of its type,
    such as a rating or the number of copies bought. An event with the value 0 has no weight, but if
    it is a target event, its item still counts as seen.
    """
    recommendation_id: NotRequired[str | None]
    """The ID of the response that led to the event. It starts with `rec_`. The event is attributed to
    this response in `/get-outcomes` if the response recommended the item to the user, at most
    `attribution_hours` before. Otherwise, it is attributed to the last response that did, if any.
    """
    attributes: NotRequired[EventAttributes | None]
    """The attributes of the event, by name. They are stored, but neither checked against the attribute
    schema nor used in training.
    """


class EventDataset(TypedDict):
    event_dataset_id: str
    """The ID of the event dataset. It starts with `eds_`."""
    name: str
    """The display name of the dataset."""
    num_shards: int
    """The number of shards. The dataset can hold up to 100,000 records per shard. You can raise the
    number later, but not lower it.
    """
    attribute_schema: AttributeSchema | None
    """The kind of each attribute, by name. It is stored and returned, but has no effect: training does
    not read the attributes of events.
    """
    retention_days: int | None
    """How many days events are kept. Workers delete events whose `ts` is older than that, usually
    within an hour. Older events can still be written, and are deleted in the same way. Null: events
    are kept until you delete them.
    """
    record_count: int
    """The number of records in the dataset."""


class EventRecord(TypedDict):
    event_id: str
    """Your ID for the event, unique in the dataset. Control characters are not allowed."""
    user_id: str
    """Your ID for the user. Control characters are not allowed."""
    item_id: str
    """Your ID for the item. Control characters are not allowed."""
    ts: int
    """When the event happened, at most 24 hours ahead of now, in milliseconds since the Unix epoch
    (UTC).
    """
    event_type: str
    """The type of the event, such as `view` or `buy`."""
    event_value: NotRequired[float | None]
    """The weight of the event in training and recommendations, relative to other events of its type,
    such as a rating or the number of copies bought. An event with the value 0 has no weight, but if
    it is a target event, its item still counts as seen.
    """
    recommendation_id: NotRequired[str | None]
    """The ID of the response that led to the event. It starts with `rec_`. The event is attributed to
    this response in `/get-outcomes` if the response recommended the item to the user, at most
    `attribution_hours` before. Otherwise, it is attributed to the last response that did, if any.
    """
    attributes: NotRequired[EventAttributes | None]
    """The attributes of the event, by name. They are stored, but neither checked against the attribute
    schema nor used in training.
    """


class EventTypeContribution(TypedDict):
    """How much an event type counts for one kind of user, and the NDCG@20 of these test users with and
    without its events.
    """
    weight: float
    """The weight of an event as evidence for other items. A target event has the weight 1. Negative
    for a negative event type.
    """
    own_item_weight: float
    """The weight of an event as evidence for its own item. 0 unless the data shows that users go on to
    choose an item after such an event.
    """
    users: int
    """The number of test users with events of this type."""
    ndcg_at_20: Estimate
    ndcg_at_20_without: Estimate


class EventTypeCount(TypedDict):
    event_type: str
    """The type of the event, such as `view` or `buy`."""
    count: int
    """The number of events of this type."""
    is_target: bool
    """Whether this is the target event type of the project."""


EventWeights: TypeAlias = "dict[str, float]"
"""G1: The weight of each event type. The target event type has the weight 1 if it is not listed."""


class Experiment(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    experiment_id: str
    """The ID of the experiment. It starts with `exp_`."""
    name: str
    """The display name of the experiment."""
    scenario: str
    """The name of the scenario whose calls are part of the experiment. `default` for calls without a
    scenario.
    """
    variants: list[Variant]
    """The variants. The first one is the control."""
    metric: Literal["CLICKED", "CONVERTED", "TARGET_EVENTS", "VALUE"]
    """What decides, per user: `CLICKED` (the share of users with an event on a recommended item),
    `CONVERTED` (the share of users with a target event; the default), `TARGET_EVENTS` (target
    events per user) or `VALUE` (the sum of `event_value` of target events per user).
    """
    window_hours: float
    """The time after the first response to a user in which events count. A user is measured once it
    has passed, so that every user has had the same time. Defaults to 24.
    """
    state: Literal["RUNNING", "STOPPED"]
    """Whether calls are assigned to the variants."""
    created_ts: int
    """When the experiment was created and started, in milliseconds since the Unix epoch (UTC)."""
    stopped_ts: int | None
    """When the experiment was stopped, in milliseconds since the Unix epoch (UTC). Null while it runs.
    """
    promoted: str | None
    """The variant that all users got when the experiment was stopped. Null if there was none."""
    verdict: Literal["UNDECIDED", "VARIANT_BETTER", "CONTROL_BETTER", "INVALID"]
    """`UNDECIDED`: no difference is beyond chance yet. `VARIANT_BETTER`: at least one variant is
    better than the control. `CONTROL_BETTER`: all variants are worse than the control. `INVALID`:
    users were not assigned in the planned shares, so no difference can be trusted. Without a
    difference, at most one experiment in twenty ever gets a wrong verdict, however often you look.
    """
    decided_ts: int | None
    """When the verdict was reached, in milliseconds since the Unix epoch (UTC). Null while it is
    `UNDECIDED`.
    """
    winner: str | None
    """The name of the best variant, if there is a valid verdict: of several that are better than the
    control, the one with the largest difference. Null otherwise.
    """


class ExperimentDay(TypedDict):
    day: str
    """The day, in UTC."""
    variants: list[ExperimentDayVariant]
    """In the order of `variants`."""


class ExperimentDayVariant(TypedDict):
    name: str
    """The display name of the variant, unique in the experiment."""
    users: int
    """The users until the end of the day."""
    measured_users: int
    """The users whose `window_hours` passed until the end of the day."""
    rate: float | None
    """`metric` per measured user."""
    difference: float | None
    """The rate minus that of the control."""
    low: float | None
    """The lower end of the interval of the difference."""
    high: float | None
    """The upper end of the interval."""


class ExperimentMeasure(TypedDict):
    """The sum of `event_value` of these target events."""
    total: float
    """The number or the sum, over all measured users."""
    rate: float | None
    """The total per measured user. Null if there are none."""
    difference: float | None
    """The rate minus that of the control. Null for the control, and with fewer than 100 measured users
    in it or in this variant.
    """
    low: float | None
    """The lower end of the interval of the difference. It holds the true difference at all times at
    once with a probability of 95% (with several variants, for all of them together), so you may
    look at it as often as you like.
    """
    high: float | None
    """The upper end of the interval."""


class ExperimentResults(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    experiment_id: str
    """The ID of the experiment. It starts with `exp_`."""
    name: str
    """The display name of the experiment."""
    scenario: str
    """The name of the scenario whose calls are part of the experiment. `default` for calls without a
    scenario.
    """
    variants: list[Variant]
    """The variants. The first one is the control."""
    metric: Literal["CLICKED", "CONVERTED", "TARGET_EVENTS", "VALUE"]
    """What decides, per user: `CLICKED` (the share of users with an event on a recommended item),
    `CONVERTED` (the share of users with a target event; the default), `TARGET_EVENTS` (target
    events per user) or `VALUE` (the sum of `event_value` of target events per user).
    """
    window_hours: float
    """The time after the first response to a user in which events count. A user is measured once it
    has passed, so that every user has had the same time. Defaults to 24.
    """
    state: Literal["RUNNING", "STOPPED"]
    """Whether calls are assigned to the variants."""
    created_ts: int
    """When the experiment was created and started, in milliseconds since the Unix epoch (UTC)."""
    stopped_ts: int | None
    """When the experiment was stopped, in milliseconds since the Unix epoch (UTC). Null while it runs.
    """
    promoted: str | None
    """The variant that all users got when the experiment was stopped. Null if there was none."""
    verdict: Literal["UNDECIDED", "VARIANT_BETTER", "CONTROL_BETTER", "INVALID"]
    """`UNDECIDED`: no difference is beyond chance yet. `VARIANT_BETTER`: at least one variant is
    better than the control. `CONTROL_BETTER`: all variants are worse than the control. `INVALID`:
    users were not assigned in the planned shares, so no difference can be trusted. Without a
    difference, at most one experiment in twenty ever gets a wrong verdict, however often you look.
    """
    decided_ts: int | None
    """When the verdict was reached, in milliseconds since the Unix epoch (UTC). Null while it is
    `UNDECIDED`.
    """
    winner: str | None
    """The name of the best variant, if there is a valid verdict: of several that are better than the
    control, the one with the largest difference. Null otherwise.
    """
    measured_ts: int | None
    """When the figures were computed, in milliseconds since the Unix epoch (UTC). Null before the
    first time. Workers compute them every few minutes.
    """
    message: str
    """The verdict in words."""
    sample_ratio: SampleRatio
    results: list[VariantResult]
    """In the order of `variants`."""
    days: list[ExperimentDay]
    """The same by `metric`, cumulative until the end of each day, oldest first."""


ExportFormat: TypeAlias = Literal["NDJSON", "CSV", "PARQUET"]
"""The format of the files."""


class ExportJobData(TypedDict):
    user_dataset_id: NotRequired[str]
    """The ID of the user dataset to export. It starts with `uds_`."""
    item_dataset_id: NotRequired[str]
    """The ID of the item dataset to export. It starts with `ids_`."""
    event_dataset_id: NotRequired[str]
    """The ID of the event dataset to export. It starts with `eds_`."""
    experiment_id: NotRequired[str]
    """The ID of the experiment whose exposures to export, instead of a dataset. It starts with `exp_`.
    """
    format: ExportFormat
    since_ts: NotRequired[int]
    """Export only events at or after this time, in milliseconds since the Unix epoch (UTC)."""


FailureCode: TypeAlias = Literal["ID_INVALID", "FIELD_MISSING", "FIELD_INVALID", "ATTRIBUTE_TYPE", "RECORD_TOO_LARGE", "TIME_IN_FUTURE", "TIME_UNIT", "DATASET_FULL"]
"""Why the record failed. [Errors](errors.md#records-that-fail) explains each code."""


FoundItem: TypeAlias = "dict[str, Any]"
"""An item that was found, with one field per requested attribute. The field is null if the item does
not have the attribute.
"""


class FoundItems(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    items: list[FoundItem]
    """The items. Those in which the text begins an ID or an attribute come first, then by ID; with
    `item_ids`, in their order.
    """
    match_count: int
    """The number of items that match."""
    is_complete: bool
    """False if the call ended before it had looked at all items: `match_count` is then a lower bound,
    and `items` has some of the matches. Try again shortly.
    """


class GivenItem(TypedDict):
    item_id: str
    """Your ID for the item. Control characters are not allowed."""
    position: int
    """The position in the response, starting at 1."""
    score: float
    """The score of the item; higher is better."""
    rules: list[AppliedRule]
    """The rules of the call that affected the item."""
    reasons: list[Reason] | None
    """Why the item was recommended, as the response said it. Null if the call did not set `explain`:
    reasons depend on what the user had done until then, so they are kept, not computed again.
    """


class GivenRecommendation(TypedDict):
    recommendation_id: str
    """The ID of the response. It starts with `rec_`."""
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    question: Literal["ITEMS_TO_USER", "ITEMS_TO_ITEM", "RANKING", "POPULAR"]
    """The recommendation call that the scenario is for: `ITEMS_TO_USER` for
    `/recommend-items-to-user`, `ITEMS_TO_ITEM` for `/recommend-items-to-item`, `RANKING` for
    `/rank-items-for-user`, `POPULAR` for `/recommend-popular-items`.
    """
    ts: int
    """When the response was given, in milliseconds since the Unix epoch (UTC)."""
    expires_ts: int
    """When the record of the response is removed, in milliseconds since the Unix epoch (UTC)."""
    user_id: str | None
    """The user of the call. Null for a call without `user_id`."""
    is_trial: bool
    """Whether a person tried the call out in the console. It has no outcomes then."""
    scenario: str
    """The scenario of the call; `default` for a call without one."""
    scenario_version: int | None
    """The version of the scenario. Null for a call without one."""
    experiment_id: str | None
    """The ID of the experiment. Null for calls that were not part of one."""
    variant: str | None
    """The variant of the experiment that the call was part of. Null if there was none."""
    generator_model_id: str | None
    """The ID of the model that generated the recommendations."""
    ranker_model_id: str | None
    """The ID of the model that ordered them. Null if there was none."""
    request: GivenRequest | None
    """The fields of the call that decided which items it returned, including those of its scenario.
    Null if they were longer than 8,192 characters.
    """
    degraded: list[DegradedPart]
    """What was missing from the response."""
    results: list[GivenItem]
    """The recommended items, best first."""


GivenRequest: TypeAlias = "dict[str, Any]"


class Guard(TypedDict):
    """Refuses a candidate that is worse than the deployed models. Both predict the same target events:
    the newest ones, which neither was trained on. The candidate is refused if the lower end of the
    interval of its loss is above `max_loss`; of candidates that are not worse than that, at most 5%
    are refused.
    """
    max_loss: float
    """The share of its NDCG@20 that the deployment may lose: 0.01 accepts a candidate that is up to 1%
    worse.
    """
    when_undecided: NotRequired[Literal["DEPLOY", "REFUSE"]]
    """What to do if too few users have newer events for a decision: fewer than 100, or hardly any of
    their events was predicted. Defaults to `DEPLOY`.
    """


class GuardInput(TypedDict):
    """Refuses a candidate that is worse than the deployed models. Both predict the same target events:
    the newest ones, which neither was trained on. The candidate is refused if the lower end of the
    interval of its loss is above `max_loss`; of candidates that are not worse than that, at most 5%
    are refused.
    """
    max_loss: float
    """The share of its NDCG@20 that the deployment may lose: 0.01 accepts a candidate that is up to 1%
    worse.
    """
    when_undecided: NotRequired[Literal["DEPLOY", "REFUSE"] | None]
    """What to do if too few users have newer events for a decision: fewer than 100, or hardly any of
    their events was predicted. Defaults to `DEPLOY`.
    """


class GuardLoss(TypedDict):
    """The share of the NDCG@20 of the deployed models that the candidate loses, with its 90%
    confidence interval (Fieller 1954): the true loss is below `low` in at most 5% of cases.
    Negative if the candidate is better.
    """
    value: float
    """The measured loss."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class GuardReport(TypedDict):
    """How the candidate compares with the models that were deployed."""
    verdict: Literal["PASSED", "REFUSED", "UNDECIDED", "NOTHING_DEPLOYED"]
    """`PASSED`: the candidate is not worse than `max_loss` allows, beyond chance. `REFUSED`: it is.
    `UNDECIDED`: there were too few newer events. `NOTHING_DEPLOYED`: there was nothing to compare
    with.
    """
    compared_with: ComparedModels | None
    """The models that were deployed. Null if there were none."""
    since_ts: int | None
    """Only events after this time were predicted: neither the candidate nor the deployed models were
    trained on them. Null if nothing was compared.
    """
    users: int
    """The number of users with such target events that were compared, at most 20,000."""
    deployed_ndcg_at_20: float | None
    """The mean NDCG@20 of the deployed models over these users. Null without users."""
    candidate_ndcg_at_20: float | None
    """The mean NDCG@20 of the candidate over the same users. Null without users."""
    loss: GuardLoss | None
    """Null if the verdict is neither `PASSED` nor `REFUSED`."""


ImportColumns: TypeAlias = "dict[str, str]"
"""Which column becomes which field or attribute, if the name of the column does not say it:
`{"item_id": "sku"}`.
"""


class ImportJobData(TypedDict):
    user_dataset_id: NotRequired[str]
    """The ID of the user dataset to import into. It starts with `uds_`."""
    item_dataset_id: NotRequired[str]
    """The ID of the item dataset to import into. It starts with `ids_`."""
    event_dataset_id: NotRequired[str]
    """The ID of the event dataset to import into. It starts with `eds_`."""
    path: str
    """A file below the folder `imports/<account_id>/` of the service's object store, such as
    `events/2026-01.parquet`, or a folder that ends with `/`: all files in it. Lower-case letters,
    digits, `_` and `-`.
    """
    columns: NotRequired[ImportColumns]
    event_type: NotRequired[str]
    """The type of all events, if no column has it."""
    allow_old_ts: NotRequired[bool]
    """Whether to write events of January 1970. Otherwise, if the newest `ts` of a call looks like
    seconds, its events fail with `TIME_UNIT`.
    """


class InvitedPerson(TypedDict):
    person_id: str
    """The ID of the person. It starts with `prs_`."""
    email: str
    """The person's email address. Upper and lower case are the same."""
    name: str
    """The display name of the person."""
    role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"]
    """What the person may do in this account: each role includes the ones before it."""
    created_ts: int
    """When the person got a role in the account, in milliseconds since the Unix epoch (UTC)."""
    last_used_ts: int | None
    """When the person last used the console, in milliseconds since the Unix epoch (UTC). Null without
    a session.
    """
    link: str
    """Signs the person in to the console once, within 24 hours. Send it to the person as you would
    send a password.
    """
    link_expires_ts: int
    """When the link expires, in milliseconds since the Unix epoch (UTC)."""


ItemAttributeKind: TypeAlias = "str"
"""`NUMERICAL`, `CATEGORICAL`, `TEXT`, or `VECTOR(n)` for a list of n numbers, at most 1,024, such as
`VECTOR(384)`.
"""


ItemAttributeSchema: TypeAlias = "dict[str, ItemAttributeKind]"


class ItemDataset(TypedDict):
    item_dataset_id: str
    """The ID of the item dataset. It starts with `ids_`."""
    name: str
    """The display name of the dataset."""
    num_shards: int
    """The number of shards. The dataset can hold up to 100,000 records per shard. You can raise the
    number later, but not lower it.
    """
    attribute_schema: ItemAttributeSchema | None
    """The kind of each attribute, by name. The kind of an attribute that is not listed is inferred; if
    null, all kinds are inferred. `TEXT` attributes are free text: a training of G1 uses their
    words, and the direction of `VECTOR(n)` attributes (embeddings), if that improves the
    recommendation of new items. Vectors cannot be used in filters and boosts, or returned with
    recommendations.
    """
    record_count: int
    """The number of records in the dataset."""


class ItemRecord(TypedDict):
    item_id: str
    """Your ID for the item. Control characters are not allowed."""
    attributes: NotRequired[Attributes | None]
    """The attributes, by name. An array of strings gives the attribute several values."""


class Job(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    job_id: str
    """The ID of the job. It starts with `job_`."""
    job_type: JobType
    created_ts: int
    """When the job was created, in milliseconds since the Unix epoch (UTC)."""
    name: str
    """The display name of the job."""
    job_data: TrainingJobData | DeploymentJobData | QueryingJobData | ClusteringJobData | ExportJobData | ImportJobData | RecommendingJobData
    """What was submitted. The fields depend on `job_type`."""
    job_result: TrainingJobResult | DeploymentJobResult | AnalysisJobResult | None
    """The result of the job. The fields depend on `job_type`. Null until the job succeeds."""
    job_status: JobStatus
    retry_count: int
    """The number of automatic retries so far."""
    error: JobError | None
    """Why the job failed. Null if it did not."""
    progress: JobProgress | None
    """The progress of the job."""
    started_ts: int | None
    """When the first attempt started, in milliseconds since the Unix epoch (UTC). Null before that.
    """
    finished_ts: int | None
    """When the job ended, in milliseconds since the Unix epoch (UTC). Null before that."""


class JobError(TypedDict):
    code: str
    """The error code. Its meaning never changes."""
    message: str
    """What went wrong, and what to do next."""


class JobProgress(TypedDict):
    stage: str
    """What the job is currently doing."""
    fraction: float
    """How much of the job is done, from 0 to 1."""
    message: str | None
    """Details in words, such as what a waiting job is waiting for. Null if there are none."""


JobStatus: TypeAlias = Literal["PENDING", "RUNNING", "SUCCEED", "FAILED", "CANCELED"]
"""The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final."""


JobType: TypeAlias = Literal["TRAINING", "DEPLOYMENT", "QUERYING", "CLUSTERING", "EXPORT", "IMPORT", "RECOMMENDING"]
"""The type of the job."""


class Jwks(TypedDict):
    keys: list[dict[str, Any]]
    """The public keys, as JSON Web Keys (RFC 7517)."""


class LeftOut(TypedDict):
    what: str
    """What was left out, such as `old events` or `item attribute "title"`."""
    count: int
    """How many events, items, users or values were left out, depending on `what`."""
    why: str
    """Why they were left out."""


class ListedJob(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    job_id: str
    """The ID of the job. It starts with `job_`."""
    job_type: JobType
    created_ts: int
    """When the job was created, in milliseconds since the Unix epoch (UTC)."""
    name: str
    """The display name of the job."""
    job_data: TrainingJobData | DeploymentJobData | QueryingJobData | ClusteringJobData | ExportJobData | ImportJobData | RecommendingJobData | None
    """What was submitted. Null if it is listed in `omitted`."""
    job_result: TrainingJobResult | DeploymentJobResult | AnalysisJobResult | None
    """The result of the job. The fields depend on `job_type`. Null until the job succeeds."""
    job_status: JobStatus
    retry_count: int
    """The number of automatic retries so far."""
    error: JobError | None
    """Why the job failed. Null if it did not."""
    progress: JobProgress | None
    """The progress of the job."""
    started_ts: int | None
    """When the first attempt started, in milliseconds since the Unix epoch (UTC). Null before that.
    """
    finished_ts: int | None
    """When the job ended, in milliseconds since the Unix epoch (UTC). Null before that."""
    omitted: list[Literal["job_data", "job_result"]]
    """The fields that are null here because they are larger than 4,096 bytes. `/get-job` returns them.
    """


MessageCode: TypeAlias = Literal["LIMIT_LOWERED", "ITEMS_UNKNOWN", "MODEL_UNSUITABLE", "NO_RECENT_EVENTS", "BOOSTS_INCOMPLETE", "RANKING_INCOMPLETE", "REASONS_INCOMPLETE"]
"""`LIMIT_LOWERED`: `limit` was above 200 and is treated as 200. `ITEMS_UNKNOWN`: The model knows none
of the items that were passed, so others are recommended. `MODEL_UNSUITABLE`: The model cannot tell
which items are similar, so others are recommended. `NO_RECENT_EVENTS`: The window has no events, so
the items are ordered by their popularity at training time. `BOOSTS_INCOMPLETE`: The boosts were
applied to the best items only. `RANKING_INCOMPLETE`: Not all items could be checked.
`REASONS_INCOMPLETE`: Only the best items have reasons.
"""


class Metrics(TypedDict):
    """Metrics on held-out events, each user with a list of 20 items. Every item was a candidate for
    every user, without sampling. `recall_at_20` is the share of the user's held-out target items
    that are in the list, averaged over users. `ndcg_at_20` (normalized discounted cumulative gain)
    also takes their position in the list into account. `coverage` is the share of all items that
    are in the list of at least one user.
    """
    users: int
    """The number of users whose held-out events were predicted."""
    recall_at_20: Estimate
    ndcg_at_20: Estimate
    coverage: Estimate


class MissedRun(TypedDict):
    scheduled_ts: int
    """The time for which the run was scheduled, in milliseconds since the Unix epoch (UTC)."""
    code: str
    """Why there was no run: `PREVIOUS_RUNNING`, `NO_WORKER` (no worker was running at that time), or
    the code of the error with which the job was refused.
    """
    message: str
    """The same in words."""


class Model(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    model_id: str
    """The ID of the model. It starts with `mdl_`."""
    name: str
    """The display name of the model."""
    algorithm_type: AlgorithmType
    algorithm_parameters: AlgorithmParameters
    created_ts: int
    """When the model was created, in milliseconds since the Unix epoch (UTC)."""
    training: ModelTraining


class ModelTraining(TypedDict):
    """How the model was trained, and how well it predicts events that were used neither to fit it nor
    to choose its parameters. `chosen_parameters` has every parameter, including those that you set.
    """
    chosen_parameters: AlgorithmParameters
    held_out: Literal["latest", "random"]
    """Which of each user's target events were held out and predicted from the rest: the latest ones,
    or random ones if the times give no order, for example because all events have the same time.
    """
    metrics: ModelTrainingMetrics
    """The metrics on held-out events: `model` for this model, and `popularity` for recommending the
    most popular items to everyone.
    """
    data: ModelTrainingData
    """The data that the model was trained on."""
    other_event_types: NotRequired[list[OtherEventType]]
    """What each event type other than the target is worth, and for whom. Absent from models of
    algorithms that use only the target, and from models trained before this was measured.
    """
    left_out: list[LeftOut]
    """The data that was read but not used."""
    usage_evidence: NotRequired[float]
    """The prior strength in affinities: the model's prediction has the weight of target events with
    this total `event_value`. Chosen so that the validation users' held-out events are likeliest.
    Absent from models trained before queries were introduced.
    """
    seconds: ModelTrainingSeconds
    """The duration of each stage, in seconds."""
    file_bytes: int
    """The size of the model's file, in bytes."""


class ModelTrainingMetrics(TypedDict):
    """The metrics on held-out events: `model` for this model, and `popularity` for recommending the
    most popular items to everyone.
    """
    validation_users: NotRequired[int]
    """The number of users whose held-out events were used to choose the parameters and
    `usage_evidence`. Absent, like `test_users`, from models of early versions, which measured the
    metrics on the same users; those metrics are slightly too good.
    """
    test_users: NotRequired[int]
    """The number of users whose held-out events the metrics were measured on. They are not validation
    users: no parameter was chosen on their events. A third of the users with held-out events, at
    most 4,000; 0 if there are fewer than three.
    """
    model: Metrics
    popularity: Metrics
    cold_users: ColdUserMetrics | None
    """Metrics for cold-start users: all events of these users were held out, so their recommendations
    are based on their attributes and on popularity. Null if there are too few users.
    """
    cold_items: ModelTrainingMetricsColdItems
    """Metrics for cold-start items: items whose events were all held out."""


class ModelTrainingMetricsColdItems(TypedDict):
    """Metrics for cold-start items: items whose events were all held out."""
    items: int
    """The number of items whose events were all held out."""
    users: NotRequired[int]
    """The number of test users with a held-out event for such an item."""
    recall_at_20: Estimate


class ModelTrainingData(TypedDict):
    """The data that the model was trained on."""
    events: int
    """The number of events used."""
    target_events: int
    """The number of those events that are of the target event type."""
    users: int
    """The number of users with these events."""
    items: int
    """The number of items with a record or with events."""
    items_without_record: int
    """The number of those items without a record. They are never recommended."""
    event_types: list[str]
    """The event types used."""
    newest_event_ts: NotRequired[int]
    """When the newest of these events happened, in milliseconds since the Unix epoch (UTC)."""


class ModelTrainingSeconds(TypedDict):
    """The duration of each stage, in seconds."""
    read: float
    """The time to read the data."""
    search: float
    """The time to choose the parameters."""
    fit: float
    """The time to fit the model."""
    write: float
    """The time to write the files of the model."""


class NewVariant(TypedDict):
    """What its users get. Without `model_id` and `scenario_version`, they get what everybody gets
    without the experiment.
    """
    name: str
    """The display name of the variant, unique in the experiment."""
    share: NotRequired[float | None]
    """The share of users who get this variant. Users beyond the sum of all shares are not part of the
    experiment. Without any `share`, all variants get the same.
    """
    model_id: NotRequired[str | None]
    """The ID of the model that recommends. It need not be deployed. It starts with `mdl_`. Defaults to
    what is deployed at the time of the call.
    """
    ranker_model_id: NotRequired[str | None]
    """With `model_id`: the ID of the model that orders the recommendations. It starts with `mdl_`.
    """
    scenario_version: NotRequired[int | None]
    """The version of the scenario whose settings apply. The experiment keeps a copy of them. Defaults
    to the current version at the time of the call.
    """


class OtherEventType(TypedDict):
    """What an event type other than the target is worth: to `visitors`, the users without target
    events (measured on test users whose target events were hidden), and to `active_users`, those
    with many target events (measured on the same test users, with their target events). If both
    weights are 0, the type is not used.
    """
    event_type: str
    """The type of the event, such as `view` or `buy`."""
    visitors: EventTypeContribution
    active_users: EventTypeContribution
    halfway_target_events: float
    """The number of items with a target event at which a user counts half as a visitor and half as an
    active user. 0: only users without target events count as visitors.
    """
    tried_weights: list[OtherEventTypeTriedWeightsEntry]
    """The weights that were compared. Empty if you set `event_weights`."""


class OtherEventTypeTriedWeightsEntry(TypedDict):
    weight: float
    """The weight for active users."""
    ndcg_at_20: float
    """The NDCG@20 of the validation users with this weight."""


class Outcome(TypedDict):
    scenario: str
    """The scenario of the calls; `default` for calls without one."""
    model_id: str | None
    """The ID of the model that generated the recommendations."""
    experiment_id: str | None
    """The ID of the experiment. Null for calls that were not part of one."""
    variant: str | None
    """The variant of the experiment. Null for calls that were not part of one."""
    answers: int
    """The number of responses."""
    clicked: OutcomeMeasure
    converted: OutcomeMeasure
    target_events: OutcomeMeasure
    value: OutcomeMeasure


class OutcomeMeasure(TypedDict):
    """The sum of `event_value` of the target events."""
    total: float
    """The number or the sum."""
    rate: float | None
    """The total per response. Null if there are none."""
    low: float | None
    """The lower end of the 95% interval of the rate. It takes into account that what one user does is
    alike. Null if it cannot be estimated.
    """
    high: float | None
    """The upper end of the interval."""


class Outcomes(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    attribution_hours: int
    """How long after a response an event counts as its result."""
    attributed_ts: int | None
    """When events were last attributed; later ones are not included yet, in milliseconds since the
    Unix epoch (UTC). Null before the first time.
    """
    days: list[DailyOutcome]
    """The outcomes of the responses of each day, newest first: `clicked` are the responses with an
    event on a recommended item, `converted` those with a target event, `target_events` and `value`
    the target events and the sum of their `event_value`. At most 2000 entries.
    """
    totals: list[Outcome]
    """The same, over all days of the response."""
    with_recommendation: OutcomesWithRecommendation
    without_recommendation: OutcomesWithoutRecommendation


class OutcomesWithRecommendation(TypedDict):
    """What users did with items that a response had recommended to them, in all scenarios, per visit:
    compare it with `without_recommendation`, which has the same unit.
    """
    days: list[DailyVisitOutcome]
    """By day of the event, newest first."""
    total: VisitOutcome


class OutcomesWithoutRecommendation(TypedDict):
    """What users did with items that no response led them to, per visit."""
    days: list[DailyVisitOutcome]
    """By day of the event, newest first."""
    total: VisitOutcome


class Person(TypedDict):
    person_id: str
    """The ID of the person. It starts with `prs_`."""
    email: str
    """The person's email address. Upper and lower case are the same."""
    name: str
    """The display name of the person."""
    role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"]
    """What the person may do in this account: each role includes the ones before it."""
    created_ts: int
    """When the person got a role in the account, in milliseconds since the Unix epoch (UTC)."""
    last_used_ts: int | None
    """When the person last used the console, in milliseconds since the Unix epoch (UTC). Null without
    a session.
    """


class Pin(TypedDict):
    position: int
    """The position in the list, starting at 1."""
    item_id: str
    """Your ID for the item. Control characters are not allowed."""


class PopularItems(TypedDict):
    user_id: str | None
    """The user of the call. Null for a call without `user_id`."""
    window_hours: int
    """The length of the window, in hours before the call."""
    event_type: str
    """The type of the events that were counted."""
    limit: int
    """The `limit` of the request. `results` has at most 200 items even if `limit` is larger."""
    filter_query: str | None
    """A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 &&
    "Comedy" in item.genres`. Null for no filter.
    """
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page. Absent on the last page, and once 1,000 items have
    been returned.
    """
    shortfall: NotRequired[str | None]
    """Why there are fewer results than `limit`. Null otherwise."""
    shortfall_code: NotRequired[ShortfallCode | None]
    """The code of `shortfall`. Null without one."""
    recommendation_id: str
    """The ID of this response. It starts with `rec_`."""
    attributes: list[str]
    """The requested attributes."""
    results: list[RecommendationResult]
    """The recommended items, best first."""
    degraded: NotRequired[list[DegradedPart]]
    """What is missing from this response. Empty if nothing was missing."""
    experiment: NotRequired[AssignedVariant]
    message: NotRequired[str | None]
    """How the response differs from what was requested. Null if it does not."""
    message_code: NotRequired[MessageCode | None]
    """The code of `message`; of several sentences, that of the first. Null without one."""


class Problem(TypedDict):
    title: str
    """A short summary of the error code."""
    type: str
    """A URI that identifies the error code."""
    status: int
    """The HTTP status code."""
    detail: str
    """What went wrong in this call."""
    code: ErrorCode
    errors: list[ProblemPlace]
    """The invalid fields. Empty if the error is not about fields."""
    request_id: str
    """The ID of the request. Include it when you report a problem."""
    resolve_with: NotRequired[str]
    """The path of the operation that resolves the conflict. Only present with status 409."""


class ProblemPlace(TypedDict):
    path: str
    """The path of the field, such as `queries.0.bins`."""
    message: str
    """What is wrong with the field."""


class Project(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    name: str
    """The display name of the project."""
    project_type: ProjectType
    user_dataset_id: str
    """The ID of the user dataset. It starts with `uds_`."""
    item_dataset_id: str
    """The ID of the item dataset. It starts with `ids_`."""
    event_dataset_id: str
    """The ID of the event dataset. It starts with `eds_`."""
    target_event_type: str
    """The event type that the project predicts, such as `buy`."""
    negative_event_types: list[str]
    """The event types by which users reject an item, such as `dislike`. The target event type cannot
    be one of them. If the newest event of a user with an item is negative, the item is not
    recommended to this user, and it lowers the scores of similar items if the data shows that this
    helps. A change takes effect with the next training job.
    """
    attribution_hours: int
    """How long after a response an event counts as its result, in hours."""
    event_value_max: float | None
    """The most that the `event_value` of one event counts in `/get-outcomes` and in experiments, so
    that a single event cannot decide them. Null for no limit. Training has limits of its own.
    """
    title_attribute: str | None
    """The item attribute whose value is the title of an item, such as `title`. The console and the
    command line show it instead of the ID. Null if the project names none.
    """
    picture_attribute: str | None
    """The item attribute whose value is the address (`https:`) of a picture of the item, such as
    `image_url`. The console shows the picture. Null if the project names none.
    """
    serving_uri: str
    """The URL of the project's recommendation service. It never changes."""
    deployment: Deployment | None
    """The current deployment. Null if no model is deployed."""
    default: bool
    """Whether this project serves recommendation calls that do not specify a project."""


class ProjectStatistics(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    interval: Literal["HOUR", "DAY"]
    """The length of the intervals in `calls`."""
    since_ts: int
    """The start of the time range, in milliseconds since the Unix epoch (UTC)."""
    until_ts: int
    """The end of the time range, exclusive, in milliseconds since the Unix epoch (UTC)."""
    total: CallTotals
    calls: list[CallStatistics]
    """The recommendation calls of each interval, oldest first. Intervals without calls are absent.
    """
    events: list[ReceivedEvents]
    """The events written per day of their `ts` and type, oldest first. An event that is written twice
    counts twice, and deleted events stay counted. Events of more than twenty years ago or of the
    future are not counted.
    """
    records: list[RecordCounts]
    """How many records the project's datasets had at the end of each day, oldest first; the last one
    is the current number. Days without a worker are absent.
    """


ProjectType: TypeAlias = Literal["RECOMMEND_ITEMS_TO_USER"]
"""What the project does."""


Promotion = TypedDict(
    "Promotion",
    {
        "if": "str",
        "share": "float",
    },
)


QueryType: TypeAlias = Literal["user_list", "user_distribution"]
"""The type of the query: `user_list` returns the matching users, `user_distribution` a histogram of
all users.
"""


class QueryingJobData(TypedDict):
    model_id: str
    """The ID of the model. It starts with `mdl_`."""
    query_type: QueryType
    queries: list[UserListQuery | UserDistributionQuery]
    """The queries, as submitted."""
    table_format: NotRequired[TableFormat]


class Ranking(TypedDict):
    user_id: str | None
    """The user of the call. Null for a call without `user_id`."""
    recommendation_id: str
    """The ID of this response. It starts with `rec_`."""
    attributes: list[str]
    """The requested attributes."""
    results: list[RecommendationResult]
    """The recommended items, best first."""
    degraded: NotRequired[list[DegradedPart]]
    """What is missing from this response. Empty if nothing was missing."""
    experiment: NotRequired[AssignedVariant]
    message: NotRequired[str | None]
    """How the response differs from what was requested. Null if it does not."""
    message_code: NotRequired[MessageCode | None]
    """The code of `message`; of several sentences, that of the first. Null without one."""
    unknown_item_ids: list[str]
    """The items that have no record, or that were added after the training and have no attributes that
    the model knows. They come last in `results`, with a `score` of 0, in the order of the request.
    """
    left_out: int
    """The number of listed items that are not in `results` because of `filter_query`. Items without a
    record never match a filter.
    """


class Reason(TypedDict):
    kind: Literal["item", "attribute", "popularity", "boost"]
    """What contributed to the score: one of the items in the events of the user, an attribute value of
    the user, the popularity of the recommended item, or a boost of the request.
    """
    id: str | None
    """For `item`, the `item_id` of an item that the user has an event with. For `attribute`, an
    attribute value of the user, such as `country=FI`. Null for `popularity` and `boost`.
    """
    contribution: float
    """The part of the score that this reason contributes."""


class ReceivedEvents(TypedDict):
    ts: int
    """The start of the day, in UTC, in milliseconds since the Unix epoch (UTC)."""
    event_type: str | None
    """The event type. Null: all types other than the 8 most frequent ones."""
    events: int
    """The number of events with a `ts` on this day that were written."""


class Recommendation(TypedDict):
    user_id: str | None
    """The user of the call. Null for a call without `user_id`."""
    limit: int
    """The `limit` of the request. `results` has at most 200 items even if `limit` is larger."""
    filter_query: str | None
    """A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 &&
    "Comedy" in item.genres`. Null for no filter.
    """
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page. Absent on the last page, and once 1,000 items have
    been returned.
    """
    shortfall: NotRequired[str | None]
    """Why there are fewer results than `limit`. Null otherwise."""
    shortfall_code: NotRequired[ShortfallCode | None]
    """The code of `shortfall`. Null without one."""
    recommendation_id: str
    """The ID of this response. It starts with `rec_`."""
    attributes: list[str]
    """The requested attributes."""
    results: list[RecommendationResult]
    """The recommended items, best first."""
    degraded: NotRequired[list[DegradedPart]]
    """What is missing from this response. Empty if nothing was missing."""
    experiment: NotRequired[AssignedVariant]
    message: NotRequired[str | None]
    """How the response differs from what was requested. Null if it does not."""
    message_code: NotRequired[MessageCode | None]
    """The code of `message`; of several sentences, that of the first. Null without one."""


RecommendationFormat: TypeAlias = Literal["NDJSON", "CSV", "PARQUET"]
"""The format of the files."""


class RecommendationResult(TypedDict):
    item: RecommendedItem
    score: NotRequired[float]
    """The score of the item; higher is better. Present with `explain`, and always in the response of
    `/rank-items-for-user`.
    """
    reasons: NotRequired[list[Reason]]
    """Why the item was recommended. The contributions add up to the score. Only present with
    `explain`.
    """
    rules: NotRequired[list[AppliedRule]]
    """The request's rules that affected the item. Only present with `explain`, if there are any."""
    is_new: NotRequired[bool]
    """Whether the item is new: it had fewer than 10 events in the training, or was added after it.
    Only present with `explain`.
    """


RecommendedItem: TypeAlias = "dict[str, Any]"
"""The recommended item, with one field per requested attribute. The field is null if the item does not
have the attribute.
"""


class RecommendingJobData(TypedDict):
    user_ids: NotRequired[list[str]]
    """The users to recommend items to. If absent, all users: those with a record, and those with
    events.
    """
    format: RecommendationFormat
    scenario: NotRequired[str]
    """The name of a scenario of the project with the question `ITEMS_TO_USER`. The job takes its
    fields as they are when you submit it, unless the request has them itself.
    """
    limit: NotRequired[int]
    """The number of items to return. A number above 200 is treated as 200, and `message` says so.
    """
    filter_query: NotRequired[str | None]
    """A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 &&
    "Comedy" in item.genres`. Null for no filter.
    """
    exclude_item_ids: NotRequired[list[str]]
    """Items not to return."""
    boosts: NotRequired[list[Boost]]
    """Multiplies the scores of the items that match. If an item matches several boosts, its score is
    multiplied by each factor. Items that the model relates to nothing in the events of the user are
    ordered by popularity and stay below the others, whatever the factors.
    """
    pins: NotRequired[list[Pin]]
    """Items with a fixed position on the first page. If the list is shorter, they come last. A pinned
    item must have a record. It is returned even if it does not match `filter_query` or the user has
    seen it, but not if it is in `exclude_item_ids`.
    """
    promote: NotRequired[Promotion]
    new_item_share: NotRequired[float]
    """The minimum share of the items on a page that are new, if there are enough: items with fewer
    than 10 events in the training, and items that were added after it. For each reserved position,
    one of the 5 best new items that are left is drawn at random; the draw stays the same for a user
    for one day (UTC). New items that are on the page because of their score count toward the share.
    """
    diversity: NotRequired[Diversity]
    exclude_seen: NotRequired[bool]
    """Whether to exclude items that the user has seen: those with a target event, and `context_items`.
    """
    exclude_event_types: NotRequired[list[str]]
    """The event types that make an item seen: an item is excluded if the user has an event of one of
    these types with it. Default: the target event type. Ignored if `exclude_seen` is false.
    """
    attributes: NotRequired[list[str]]
    """The item attributes to return."""


class RecordCounts(TypedDict):
    ts: int
    """The start of the day, in UTC, in milliseconds since the Unix epoch (UTC)."""
    users: int | None
    """The number of user records. Null if it was not counted."""
    items: int | None
    """The number of item records. Null if it was not counted."""
    events: int | None
    """The number of events. Null if it was not counted."""


class RecordFailure(TypedDict):
    index: int
    """The index of the record in the request, starting at 0."""
    id: NotRequired[str]
    """The ID of the record. An ID that was sent as a number is returned as text. Absent if the record
    has no ID.
    """
    code: FailureCode
    message: str
    """What is wrong, and with which field."""


class RemovedPerson(TypedDict):
    person_id: str
    """The ID of the person. It starts with `prs_`."""
    email: str
    """The person's email address. Upper and lower case are the same."""
    name: str
    """The display name of the person."""
    role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"]
    """What the person may do in this account: each role includes the ones before it."""
    created_ts: int
    """When the person got a role in the account, in milliseconds since the Unix epoch (UTC)."""
    last_used_ts: int | None
    """When the person last used the console, in milliseconds since the Unix epoch (UTC). Null without
    a session.
    """
    api_keys: list[ApiKey]
    """The API keys that still work and that the person created, themselves or through such a key.
    Revoke those whose secret they should no longer have.
    """


class ResourceUsage(TypedDict):
    resource: Literal["USER_SHARDS", "ITEM_SHARDS", "EVENT_SHARDS", "PROJECTS", "ALGORITHMS", "MODELS", "TRAINING_HOURS", "QPS", "RECORDS", "MODEL_BYTES"]
    """What is used. `QPS` is the highest `qps` of a deployment; `RECORDS` are the records of all
    datasets, limited by their shards; `MODEL_BYTES` is the size of the files of all models.
    """
    used: float
    """How much the account uses now."""
    limit: float | None
    """How much the plan allows. Null: unlimited."""


class SampleRatio(TypedDict):
    """Whether users were assigned in the planned shares."""
    p_value: float
    """The probability of numbers of users that are this far from the planned shares at any time, if
    nothing is wrong.
    """
    is_mismatch: bool
    """Whether the probability is below 0.001: something loses users of a variant, such as calls that
    fail. The experiment is `INVALID` then.
    """


class Scenario(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    name: str
    """The name of the scenario, unique in the project, such as `home` or `product page`."""
    question: Literal["ITEMS_TO_USER", "ITEMS_TO_ITEM", "RANKING", "POPULAR"]
    """The recommendation call that the scenario is for: `ITEMS_TO_USER` for
    `/recommend-items-to-user`, `ITEMS_TO_ITEM` for `/recommend-items-to-item`, `RANKING` for
    `/rank-items-for-user`, `POPULAR` for `/recommend-popular-items`.
    """
    version: int
    """Starts at 1, and increases by 1 with every update."""
    created_ts: int
    """When the scenario was created, in milliseconds since the Unix epoch (UTC)."""
    updated_ts: int
    """When this version was created, in milliseconds since the Unix epoch (UTC)."""
    limit: NotRequired[int]
    """The number of items to return. A number above 200 is treated as 200, and `message` says so.
    """
    filter_query: NotRequired[str | None]
    """A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 &&
    "Comedy" in item.genres`. Null for no filter.
    """
    exclude_item_ids: NotRequired[list[str]]
    """Items not to return."""
    boosts: NotRequired[list[Boost]]
    """Multiplies the scores of the items that match. If an item matches several boosts, its score is
    multiplied by each factor. Items that the model relates to nothing in the events of the user are
    ordered by popularity and stay below the others, whatever the factors.
    """
    pins: NotRequired[list[Pin]]
    """Items with a fixed position on the first page. If the list is shorter, they come last. A pinned
    item must have a record. It is returned even if it does not match `filter_query` or the user has
    seen it, but not if it is in `exclude_item_ids`.
    """
    promote: NotRequired[Promotion]
    new_item_share: NotRequired[float]
    """The minimum share of the items on a page that are new, if there are enough: items with fewer
    than 10 events in the training, and items that were added after it. For each reserved position,
    one of the 5 best new items that are left is drawn at random; the draw stays the same for a user
    for one day (UTC). New items that are on the page because of their score count toward the share.
    """
    diversity: NotRequired[Diversity]
    exclude_seen: NotRequired[bool]
    """Whether to exclude items that the user has seen: those with a target event, and `context_items`.
    """
    exclude_event_types: NotRequired[list[str]]
    """The event types that make an item seen: an item is excluded if the user has an event of one of
    these types with it. Default: the target event type. Ignored if `exclude_seen` is false.
    """
    window_hours: NotRequired[int]
    """The length of the window, in hours before the call. By default, the service chooses the window
    that best predicts the next events of the project.
    """
    event_type: NotRequired[str]
    """The type of the events to count. Default: the target event type."""
    attribute: NotRequired[str]
    """The name of the item attribute."""
    value: NotRequired[str | float | bool]
    """Return only items whose `attribute` is this value, or is a list that contains it. Pass both
    fields or neither.
    """
    attributes: NotRequired[list[str]]
    """The item attributes to return."""
    explain: NotRequired[bool]
    """Whether to return a `score` and `reasons` for each item."""


class Schedule(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    schedule_id: str
    """The ID of the schedule. It starts with `sch_`."""
    name: str
    """The display name of the schedule and of its jobs."""
    cron: str
    """When to run: a cron expression of five fields (minute, hour, day of the month, month, day of the
    week), such as `0 3 * * *` for every night at three.
    """
    time_zone: str
    """The time zone of `cron`, as in the IANA database, such as `Europe/Berlin`. Defaults to `UTC`. A
    time that the change to summer time skips runs at the next one that exists; one that occurs
    twice runs the first time.
    """
    what: ScheduledWork
    when_running: Literal["SKIP", "QUEUE"]
    """What to do if the job of the run before has not ended. `SKIP` (the default): this run is left
    out and counts as missed. `QUEUE`: its job is submitted as well.
    """
    paused: bool
    """Whether no further runs are started."""
    created_ts: int
    """When the schedule was created, in milliseconds since the Unix epoch (UTC)."""
    next_run_ts: int | None
    """When the next run is due, in milliseconds since the Unix epoch (UTC). Null while paused."""
    last_run: ScheduledRun | None
    """The last run. Null if there was none."""
    missed_runs: int
    """The number of runs that were missed."""
    last_missed: MissedRun | None
    """The last run that was missed. Null if none was."""


ScheduledRequest: TypeAlias = "dict[str, Any]"
"""The fields of the call that submits such a job, such as `/submit-training-job`, without `project_id`
and `name`. `algorithm_id` defaults to the newest algorithm of the project, `model_id` to the
deployed generator at that time.
"""


class ScheduledRun(TypedDict):
    scheduled_ts: int
    """The time for which the run was scheduled, in milliseconds since the Unix epoch (UTC)."""
    ts: int
    """When the job was submitted, in milliseconds since the Unix epoch (UTC)."""
    job_id: str | None
    """The ID of the job. Null if it was deleted."""


class ScheduledWork(TypedDict):
    """What to run. With a `guard`, the training leaves out the events of the last 24 hours, unless
    `request` has another `holdout_hours`.
    """
    job_type: Literal["TRAINING", "QUERYING", "CLUSTERING", "EXPORT", "RECOMMENDING"]
    """The type of the job."""
    request: NotRequired[ScheduledRequest]
    deploy: NotRequired[bool]
    """For `TRAINING`: whether to deploy the model as soon as the training has succeeded."""
    guard: NotRequired[Guard]


class ScheduledWorkInput(TypedDict):
    """What to run. With a `guard`, the training leaves out the events of the last 24 hours, unless
    `request` has another `holdout_hours`.
    """
    job_type: Literal["TRAINING", "QUERYING", "CLUSTERING", "EXPORT", "RECOMMENDING"]
    """The type of the job."""
    request: NotRequired[ScheduledRequest | None]
    """The fields of the call that submits such a job, such as `/submit-training-job`, without
    `project_id` and `name`. `algorithm_id` defaults to the newest algorithm of the project,
    `model_id` to the deployed generator at that time.
    """
    deploy: NotRequired[bool | None]
    """For `TRAINING`: whether to deploy the model as soon as the training has succeeded."""
    guard: NotRequired[GuardInput | None]
    """Refuses a candidate that is worse than the deployed models. Both predict the same target events:
    the newest ones, which neither was trained on. The candidate is refused if the lower end of the
    interval of its loss is above `max_loss`; of candidates that are not worse than that, at most 5%
    are refused.
    """


ShortfallCode: TypeAlias = Literal["FEW_ITEMS", "NO_MATCH", "FEW_MATCHES", "FEW_PER_VALUE", "OUT_OF_TIME", "FILTER_TOO_EXPENSIVE", "RECORDS_TOO_LARGE"]
"""`FEW_ITEMS`: The item dataset has no more items to return. `NO_MATCH`: No item matches the filter.
`FEW_MATCHES`: Too few items match the filter. `FEW_PER_VALUE`: `max_per_value` of `diversity`
allows no more items. `OUT_OF_TIME`: The call ran out of time. `FILTER_TOO_EXPENSIVE`: The filter is
too expensive to be evaluated for more items. `RECORDS_TOO_LARGE`: The records are too large to
check more items.
"""


class SimilarItems(TypedDict):
    item_ids: list[str]
    """The items of the request, each once."""
    user_id: str | None
    """The user of the call. Null for a call without `user_id`."""
    limit: int
    """The `limit` of the request. `results` has at most 200 items even if `limit` is larger."""
    filter_query: str | None
    """A CEL expression over `item` that recommended items must satisfy, such as `item.price < 20.0 &&
    "Comedy" in item.genres`. Null for no filter.
    """
    cursor: NotRequired[str]
    """Pass it as `cursor` to get the next page. Absent on the last page, and once 1,000 items have
    been returned.
    """
    shortfall: NotRequired[str | None]
    """Why there are fewer results than `limit`. Null otherwise."""
    shortfall_code: NotRequired[ShortfallCode | None]
    """The code of `shortfall`. Null without one."""
    recommendation_id: str
    """The ID of this response. It starts with `rec_`."""
    attributes: list[str]
    """The requested attributes."""
    results: list[RecommendationResult]
    """The recommended items, best first."""
    degraded: NotRequired[list[DegradedPart]]
    """What is missing from this response. Empty if nothing was missing."""
    experiment: NotRequired[AssignedVariant]
    message: NotRequired[str | None]
    """How the response differs from what was requested. Null if it does not."""
    message_code: NotRequired[MessageCode | None]
    """The code of `message`; of several sentences, that of the first. Null without one."""


class StoredEvent(TypedDict):
    event_id: str
    """Your ID for the event, unique in the dataset. Control characters are not allowed."""
    user_id: str
    """Your ID for the user. Control characters are not allowed."""
    item_id: str
    """Your ID for the item. Control characters are not allowed."""
    ts: int
    """When the event happened, in milliseconds since the Unix epoch (UTC)."""
    event_type: str
    """The type of the event, such as `view` or `buy`."""
    event_value: float
    """The weight of the event in training and recommendations, relative to other events of its type,
    such as a rating or the number of copies bought. An event with the value 0 has no weight, but if
    it is a target event, its item still counts as seen.
    """
    recommendation_id: NotRequired[str]
    """The ID of the response that led to the event. It starts with `rec_`. The event is attributed to
    this response in `/get-outcomes` if the response recommended the item to the user, at most
    `attribution_hours` before. Otherwise, it is attributed to the last response that did, if any.
    """
    attributes: EventAttributes


class StoredItem(TypedDict):
    item_id: str
    """Your ID for the item. Control characters are not allowed."""
    attributes: Attributes


class StoredUser(TypedDict):
    user_id: str
    """Your ID for the user. Control characters are not allowed."""
    attributes: Attributes


class SubmitUserDistribution(TypedDict):
    name: str
    """The display name of the job."""
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    model_id: str
    """The ID of the model. It starts with `mdl_`."""
    table_format: NotRequired[TableFormat | None]
    """Writes the result as a table too, for spreadsheets, data frames and warehouses. `table_url` in
    the job result is its URL.
    """
    query_type: Literal["user_distribution"]
    """Returns a histogram of the users' affinities for each query."""
    queries: list[UserDistributionQueryInput]
    """The queries. The result contains them in the same order."""


class SubmitUserList(TypedDict):
    name: str
    """The display name of the job."""
    project_id: str
    """The ID of the project. It starts with `prj_`."""
    model_id: str
    """The ID of the model. It starts with `mdl_`."""
    table_format: NotRequired[TableFormat | None]
    """Writes the result as a table too, for spreadsheets, data frames and warehouses. `table_url` in
    the job result is its URL.
    """
    query_type: Literal["user_list"]
    """Lists the users who match each query."""
    queries: list[UserListQueryInput]
    """The queries. The result contains them in the same order."""


TableFormat: TypeAlias = Literal["CSV", "PARQUET"]
"""Writes the result as a table too, for spreadsheets, data frames and warehouses. `table_url` in the
job result is its URL.
"""


class TokenError(TypedDict):
    error: Literal["invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope"]
    """The error code, as defined in RFC 6749, section 5.2."""
    error_description: str
    """What is wrong, in words."""


class TokenRequest(TypedDict):
    grant_type: NotRequired[Literal["client_credentials"]]
    """The grant type. Only `client_credentials` is supported."""
    client_id: str
    """The API key."""
    client_secret: str
    """The secret of the API key, which is shown once when the key is created."""
    scope: str
    """The paths of the operations to allow, separated by spaces, such as `/upsert-dataset-events
    /get-job`.
    """


class TokenResponse(TypedDict):
    access_token: str
    """The token. Send it in the header `Authorization: Bearer <token>`."""
    token_type: Literal["Bearer"]
    """The type of the token."""
    expires_in: int
    """The lifetime of the token in seconds."""
    scope: str
    """The paths of the operations that the token allows."""


class TrainingCheck(TypedDict):
    can_train: bool
    """Whether training can succeed: true if no finding is an `ERROR`."""
    sampled: bool
    """Whether the counts, except those of events and records, are estimates from a sample of the
    events.
    """
    counts: TrainingCheckCounts
    event_types: list[EventTypeCount]
    """The event types, most frequent first."""
    first_ts: int | None
    """The time of the oldest event, in milliseconds since the Unix epoch (UTC). Null if there are no
    events.
    """
    last_ts: int | None
    """The time of the newest event, in milliseconds since the Unix epoch (UTC). Null if there are no
    events.
    """
    findings: list[TrainingFinding]
    """What was found, most severe first."""
    not_checked: list[Literal["events", "times", "item_attributes", "user_attributes"]]
    """The parts of the data that could not be read in time; usually empty. If `events` was not
    checked, all counts that come from events are 0, except for the number of events.
    """
    estimate: TrainingEstimate


class TrainingCheckCounts(TypedDict):
    """The data that the model would be trained on."""
    events: int
    """The number of events. It is exact even if the other counts are estimates."""
    target_events: int
    """The number of events of the target event type."""
    users: int
    """The number of users with events."""
    users_with_one_event: int
    """The number of users with exactly one event, of any type."""
    items: int
    """The number of items that occur in events."""
    items_without_record: int
    """The number of items that occur in events but have no record. They are never recommended."""
    user_records: int
    """The number of records in the project's user dataset."""
    item_records: int
    """The number of records in the project's item dataset."""


class TrainingEstimate(TypedDict):
    """The estimated cost of the training."""
    seconds: int
    """The estimated duration of the training, in seconds."""
    memory_bytes: int
    """The estimated peak memory of the worker, in bytes."""
    basis: str
    """What the estimate is based on."""


class TrainingFinding(TypedDict):
    severity: Literal["ERROR", "WARNING", "INFO"]
    """The severity. `ERROR`: training would fail, or produce a model that cannot recommend anything.
    `WARNING`: training may fail, or would produce a poor model. `INFO`: no problem, but worth
    knowing.
    """
    code: Literal["NO_EVENTS", "NO_TARGET_EVENTS", "TARGET_EVENTS_NOT_SEEN", "TOO_LITTLE_DATA", "THIN_DATA", "NO_ITEM_RECORDS", "ITEMS_WITHOUT_RECORD", "USERS_WITH_ONE_EVENT", "TIMES_IN_SECONDS", "TIMES_IN_FUTURE", "ALL_AT_ONE_TIME", "MANY_EVENT_TYPES", "RARE_TARGET_EVENTS", "UNKNOWN_EVENT_WEIGHTS", "UNSHARED_ATTRIBUTE_VALUES", "MODEL_TOO_LARGE", "TOO_MANY_EVENTS", "PARTS_NOT_CHECKED"]
    """The code of the finding. Its meaning never changes; `message` explains it."""
    message: str
    """What was found, with numbers, and what to do about it."""


class TrainingJobData(TypedDict):
    algorithm_type: AlgorithmType
    algorithm_parameters: AlgorithmParameters
    holdout_hours: NotRequired[int]
    """Do not train on the events of the last hours, so that a guarded deployment right after the
    training has newer events to compare on. Recommendations still take them into account. If
    absent, all events are used.
    """


class TrainingJobResult(TypedDict):
    model_id: str
    """The ID of the model. It starts with `mdl_`."""


UpsertMode: TypeAlias = Literal["REPLACE", "MERGE"]
"""How to write a record that already exists. `REPLACE` replaces the whole record: fields and
attributes that you leave out are removed. `MERGE` changes only what you send: it sets the
attributes that you send, removes those that you send as null, and keeps the rest.
"""


class Usage(TypedDict):
    since_ts: int
    """The start of the time range of `calls`, in milliseconds since the Unix epoch (UTC)."""
    until_ts: int
    """The end of the time range of `calls`, exclusive, in milliseconds since the Unix epoch (UTC).
    """
    plan: str
    """The name of the account's plan."""
    resources: list[ResourceUsage]
    """What the account uses of what its plan allows."""
    calls: list[CallerUsage]
    """The calls per project and caller, most calls first. At most 1,000 entries."""


class UserDataset(TypedDict):
    user_dataset_id: str
    """The ID of the user dataset. It starts with `uds_`."""
    name: str
    """The display name of the dataset."""
    num_shards: int
    """The number of shards. The dataset can hold up to 100,000 records per shard. You can raise the
    number later, but not lower it.
    """
    attribute_schema: AttributeSchema | None
    """The kind of each attribute, by name. The kind of an attribute that is not listed is inferred; if
    null, all kinds are inferred.
    """
    record_count: int
    """The number of records in the dataset."""


class UserDistributionQuery(TypedDict):
    attribute: str
    """The name of the item attribute."""
    value: str | float | bool
    """The value of the item attribute. It matches any element of an array. Values are compared by
    their text: the number 5 equals the string "5".
    """
    bins: NotRequired[int]
    """The number of bins of the histogram, of equal width from 0 to 1."""


class UserDistributionQueryInput(TypedDict):
    attribute: str
    """The name of the item attribute."""
    value: str | float | bool
    """The value of the item attribute. It matches any element of an array. Values are compared by
    their text: the number 5 equals the string "5".
    """
    bins: NotRequired[int | None]
    """The number of bins of the histogram, of equal width from 0 to 1."""


class UserListCondition(TypedDict):
    attribute: str
    """The name of the item attribute."""
    value: str | float | bool
    """The value of the item attribute. It matches any element of an array. Values are compared by
    their text: the number 5 equals the string "5".
    """
    lower_bound: NotRequired[float]
    """The minimum affinity for items with the value, from 0 to 1. Inclusive. Below 0 it does not
    bound.
    """
    upper_bound: NotRequired[float]
    """The maximum affinity for items with the value, from 0 to 1. Inclusive. Above 1 it does not
    bound.
    """


class UserListConditionInput(TypedDict):
    attribute: str
    """The name of the item attribute."""
    value: str | float | bool
    """The value of the item attribute. It matches any element of an array. Values are compared by
    their text: the number 5 equals the string "5".
    """
    lower_bound: NotRequired[float | None]
    """The minimum affinity for items with the value, from 0 to 1. Inclusive. Below 0 it does not
    bound.
    """
    upper_bound: NotRequired[float | None]
    """The maximum affinity for items with the value, from 0 to 1. Inclusive. Above 1 it does not
    bound.
    """


class UserListQuery(TypedDict):
    conditions: list[UserListCondition]
    """The conditions. A user must meet all of them."""


class UserListQueryInput(TypedDict):
    conditions: list[UserListConditionInput]
    """The conditions. A user must meet all of them."""


class UserRecord(TypedDict):
    user_id: str
    """Your ID for the user. Control characters are not allowed."""
    attributes: NotRequired[Attributes | None]
    """The attributes, by name. An array of strings gives the attribute several values."""


class Variant(TypedDict):
    name: str
    """The display name of the variant, unique in the experiment."""
    share: float
    """The share of users who get this variant."""
    model_id: str | None
    """The ID of the model that recommends. Null for what is deployed."""
    ranker_model_id: str | None
    """The ID of the model that orders the recommendations. Null if there is none."""
    scenario_version: int | None
    """The version of the scenario whose settings apply. Null for the current version."""


class VariantResult(TypedDict):
    name: str
    """The display name of the variant, unique in the experiment."""
    users: int
    """The users who got a response from this variant."""
    answers: int
    """The responses of this variant."""
    fallbacks: int
    """The responses for which the model of the variant could not be used, so that the deployed one
    answered. Their users still count, because leaving them out would make the comparison unfair.
    """
    measured_users: int
    """The users whose `window_hours` have passed. The figures below are about them."""
    clicked: ExperimentMeasure
    converted: ExperimentMeasure
    target_events: ExperimentMeasure
    value: ExperimentMeasure
    verdict: Literal["CONTROL", "UNDECIDED", "BETTER", "WORSE", "INVALID"]
    """How the variant compares with the control, by `metric`."""


class VisitMeasure(TypedDict):
    """The sum of `event_value` of the target events."""
    total: float
    """The number or the sum."""
    rate: float | None
    """The total per visit. Null if there are none."""
    low: float | None
    """The lower end of the 95% interval of the rate. It takes into account that what one user does is
    alike. Null if it cannot be estimated.
    """
    high: float | None
    """The upper end of the interval."""


class VisitOutcome(TypedDict):
    """The same, over all days of the response."""
    visits: int
    """The number of visits: a user and an item, per day."""
    converted: VisitMeasure
    target_events: VisitMeasure
    value: VisitMeasure


class Webhook(TypedDict):
    webhook_id: str
    """The ID of the webhook. It starts with `whk_`."""
    url: str
    """Where to send the messages, with `http://` or `https://`, without credentials and fragment.
    Unless the operator allows it, addresses of private networks are refused.
    """
    events: list[WebhookEventType]
    """What to send messages about."""
    enabled: bool
    """Whether messages are sent."""
    disabled_reason: str | None
    """Why the service has disabled the webhook: it failed for a whole day, answered 410, or its
    backlog was full. Null if it is enabled, or if you have disabled it.
    """
    created_ts: int
    """When the webhook was created, in milliseconds since the Unix epoch (UTC)."""
    last_delivered_ts: int | None
    """When a message was last delivered, in milliseconds since the Unix epoch (UTC). Null if none was.
    """
    last_failure: WebhookFailure | None
    """The last attempt that failed. Null after a success."""
    pending: int
    """The number of messages that are not delivered yet."""
    secret: NotRequired[str]
    """The secret with which messages are signed, to verify them with a library for Standard Webhooks.
    Only the responses that create it have it: store it.
    """


WebhookEventType: TypeAlias = Literal["job.ended", "guard.refused", "deployment.rolled_back", "dataset.nearly_full", "experiment.decided", "quota.near", "schedule.missed"]
"""`job.ended`: A job succeeded, failed or was canceled. `guard.refused`: The guard of a deployment
refused a model. `deployment.rolled_back`: A rollback has deployed the models before.
`dataset.nearly_full`: A dataset has reached 90% of the records that it can hold.
`experiment.decided`: An experiment has a verdict. `quota.near`: The account has used 90% of a cap
of its plan. `schedule.missed`: A schedule could not start a run.
"""


class WebhookFailure(TypedDict):
    ts: int
    """When the last attempt failed, in milliseconds since the Unix epoch (UTC)."""
    code: str
    """Why: `STATUS` (the response was not 2xx), `TIMEOUT`, `ADDRESS_REFUSED` (the host resolves to a
    private address), `NOT_RESOLVED` (DNS), `TLS` or `CONNECTION`.
    """
    message: str
    """The same in words, with the status if there was a response."""


class ListUserDatasetsResponse(TypedDict):
    user_datasets: list[UserDataset]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListItemDatasetsResponse(TypedDict):
    item_datasets: list[ItemDataset]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListEventDatasetsResponse(TypedDict):
    event_datasets: list[EventDataset]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class UpsertDatasetUsersResponse(TypedDict):
    user_dataset_id: str
    """The ID of the user dataset. It starts with `uds_`."""
    succeed_ids: list[str]
    """The IDs of the records that were written. They are durable and visible to the next call."""
    failed_ids: list[str]
    """The IDs of the records that were not written. `failures` says why."""
    failed_count: int
    """The number of records that were not written, including those without an ID."""
    failures: list[RecordFailure]
    """Why each record failed."""


class UpsertDatasetItemsResponse(TypedDict):
    item_dataset_id: str
    """The ID of the item dataset. It starts with `ids_`."""
    succeed_ids: list[str]
    """The IDs of the records that were written. They are durable and visible to the next call."""
    failed_ids: list[str]
    """The IDs of the records that were not written. `failures` says why."""
    failed_count: int
    """The number of records that were not written, including those without an ID."""
    failures: list[RecordFailure]
    """Why each record failed."""


class UpsertDatasetEventsResponse(TypedDict):
    event_dataset_id: str
    """The ID of the event dataset. It starts with `eds_`."""
    succeed_ids: list[str]
    """The IDs of the records that were written. They are durable and visible to the next call."""
    failed_ids: list[str]
    """The IDs of the records that were not written. `failures` says why."""
    failed_count: int
    """The number of records that were not written, including those without an ID."""
    failures: list[RecordFailure]
    """Why each record failed."""


class ListDatasetUsersResponse(TypedDict):
    users: list[StoredUser]
    """The entries of this page, sorted by ID."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListDatasetItemsResponse(TypedDict):
    items: list[StoredItem]
    """The entries of this page, sorted by ID."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListDatasetEventsResponse(TypedDict):
    events: list[StoredEvent]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class DeleteDatasetUsersResponse(TypedDict):
    user_dataset_id: str
    """The ID of the user dataset. It starts with `uds_`."""
    deleted_ids: list[str]
    """The IDs of the records that existed and were deleted."""


class DeleteDatasetItemsResponse(TypedDict):
    item_dataset_id: str
    """The ID of the item dataset. It starts with `ids_`."""
    deleted_ids: list[str]
    """The IDs of the records that existed and were deleted."""


class DeleteDatasetUserEventsResponse(TypedDict):
    event_dataset_id: str
    """The ID of the event dataset. It starts with `eds_`."""
    user_id: str
    """Your ID for the user. Control characters are not allowed."""


class DeleteDatasetEventsBeforeTsResponse(TypedDict):
    event_dataset_id: str
    """The ID of the event dataset. It starts with `eds_`."""
    ts: int
    """The time before which events were deleted, in milliseconds since the Unix epoch (UTC)."""


class ListProjectsResponse(TypedDict):
    projects: list[Project]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListAlgorithmsResponse(TypedDict):
    algorithms: list[Algorithm]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class SubmitTrainingJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitDeploymentJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitQueryingJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitClusteringJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitExportJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitImportJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class SubmitRecommendingJobResponse(TypedDict):
    job_id: str
    """The ID of the job. It starts with `job_`."""


class ListJobsResponse(TypedDict):
    jobs: list[ListedJob]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListModelsResponse(TypedDict):
    models: list[Model]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ShutdownDeploymentResponse(TypedDict):
    project_id: str
    """The ID of the project. It starts with `prj_`."""


class ListScenariosResponse(TypedDict):
    scenarios: list[Scenario]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListExperimentsResponse(TypedDict):
    experiments: list[Experiment]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListSchedulesResponse(TypedDict):
    schedules: list[Schedule]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListWebhooksResponse(TypedDict):
    webhooks: list[Webhook]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListPeopleResponse(TypedDict):
    people: list[Person]
    """The entries of this page, by ID."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListAuditEventsResponse(TypedDict):
    audit_events: list[AuditEvent]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """


class ListApiKeysResponse(TypedDict):
    api_keys: list[ApiKey]
    """The entries of this page, newest first."""
    next_page_token: str | None
    """The `page_token` of the next page. Null on the last page."""
    message: str | None
    """A note if the response does not contain all entries because it reached a limit of the service.
    Null otherwise.
    """
