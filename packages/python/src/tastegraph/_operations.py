# Generated from the contract (npm run generate); do not edit.
"""One method per operation, for both clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal

from ._unset import UNSET, Unset, keep_none
from .types import (
    Algorithm,
    AlgorithmParametersInput,
    AlgorithmType,
    ApiKey,
    AttributeSchema,
    AuditEvent,
    Boost,
    ClusterType,
    ClusteringParametersInput,
    CreatedApiKey,
    CreatedWebhook,
    CreatedWriteKey,
    DeleteDatasetEventsBeforeTsResponse,
    DeleteDatasetItemsResponse,
    DeleteDatasetUserEventsResponse,
    DeleteDatasetUsersResponse,
    DiversityInput,
    Erasure,
    EventChange,
    EventDataset,
    EventRecord,
    Experiment,
    ExperimentResults,
    ExportFormat,
    FoundItems,
    GivenRecommendation,
    GuardInput,
    ImportColumns,
    InvitedPerson,
    ItemAttributeSchema,
    ItemDataset,
    ItemRecord,
    Job,
    JobStatus,
    JobType,
    ListAlgorithmsResponse,
    ListApiKeysResponse,
    ListAuditEventsResponse,
    ListDatasetEventsResponse,
    ListDatasetItemsResponse,
    ListDatasetUsersResponse,
    ListEventDatasetsResponse,
    ListExperimentsResponse,
    ListItemDatasetsResponse,
    ListJobsResponse,
    ListModelsResponse,
    ListPeopleResponse,
    ListProjectsResponse,
    ListScenariosResponse,
    ListSchedulesResponse,
    ListUserDatasetsResponse,
    ListWebhooksResponse,
    ListedJob,
    Model,
    NewVariant,
    Outcomes,
    Person,
    Pin,
    PopularItems,
    Project,
    ProjectStatistics,
    ProjectType,
    Promotion,
    Ranking,
    Recommendation,
    RecommendationFormat,
    RemovedPerson,
    Scenario,
    Schedule,
    ScheduledWorkInput,
    ShutdownDeploymentResponse,
    SimilarItems,
    StoredEvent,
    StoredItem,
    StoredUser,
    SubmitClusteringJobResponse,
    SubmitDeploymentJobResponse,
    SubmitExportJobResponse,
    SubmitImportJobResponse,
    SubmitQueryingJobResponse,
    SubmitRecommendingJobResponse,
    SubmitTrainingJobResponse,
    TableFormat,
    TrainingCheck,
    UpsertDatasetEventsResponse,
    UpsertDatasetItemsResponse,
    UpsertDatasetUsersResponse,
    UpsertMode,
    Usage,
    UserDataset,
    UserDistributionQueryInput,
    UserListQueryInput,
    UserRecord,
    Webhook,
    WebhookEventType,
)


class Operations:
    """The methods of `Tastegraph`."""

    def _call(self, name: str, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _iterate(self, name: str, key: str, request: dict[str, Any]) -> Iterator[Any]:
        raise NotImplementedError

    def create_user_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
    ) -> UserDataset:
        """Create a user dataset.

        Each project uses one user dataset. `num_shards` sets its capacity, at 100,000 records per
        shard. The account's plan caps the total number of shards of all user datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred.
        """
        answer: UserDataset = self._call(
            "create_user_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    def get_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset:
        """Get a user dataset.

        Returns the dataset's settings and its number of records.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
        """
        answer: UserDataset = self._call(
            "get_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    def list_user_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListUserDatasetsResponse:
        """List the account's user datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListUserDatasetsResponse = self._call(
            "list_user_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_user_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[UserDataset]:
        """List the account's user datasets.

        Like `list_user_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_user_datasets",
            "user_datasets",
            {
                "page_size": page_size,
            },
        )

    def update_user_dataset(
        self,
        *,
        user_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
    ) -> UserDataset:
        """Change the name, attribute schema or number of shards of a user dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A
        new attribute schema applies to records written from then on; existing records are not
        checked again.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. If absent, the schema
                stays as it is.
        """
        answer: UserDataset = self._call(
            "update_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    def delete_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset | None:
        """Delete a user dataset and its records.

        Returns the deleted dataset. From the next call on, its records cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
        """
        answer: UserDataset | None = self._call(
            "delete_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    def create_item_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: ItemAttributeSchema | None | Unset = UNSET,
    ) -> ItemDataset:
        """Create an item dataset.

        Each project recommends the items of one item dataset. `num_shards` sets its capacity, at
        100,000 records per shard. The account's plan caps the total number of shards of all item
        datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. `TEXT` attributes are
                free text: a training of G1 uses their words, and the direction of `VECTOR(n)`
                attributes (embeddings), if that improves the recommendation of new items. Vectors
                cannot be used in filters and boosts, or returned with recommendations.
        """
        answer: ItemDataset = self._call(
            "create_item_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    def get_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset:
        """Get an item dataset.

        Returns the dataset's settings and its number of records.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
        """
        answer: ItemDataset = self._call(
            "get_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
        )
        return answer

    def list_item_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListItemDatasetsResponse:
        """List the account's item datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListItemDatasetsResponse = self._call(
            "list_item_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_item_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[ItemDataset]:
        """List the account's item datasets.

        Like `list_item_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_item_datasets",
            "item_datasets",
            {
                "page_size": page_size,
            },
        )

    def update_item_dataset(
        self,
        *,
        item_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: ItemAttributeSchema | None | Unset = UNSET,
    ) -> ItemDataset:
        """Change the name, attribute schema or number of shards of an item dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A
        new attribute schema applies to records written from then on; existing records are not
        checked again.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. `TEXT` attributes are
                free text: a training of G1 uses their words, and the direction of `VECTOR(n)`
                attributes (embeddings), if that improves the recommendation of new items. Vectors
                cannot be used in filters and boosts, or returned with recommendations. If absent,
                the schema stays as it is.
        """
        answer: ItemDataset = self._call(
            "update_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    def delete_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset | None:
        """Delete an item dataset and its records.

        Returns the deleted dataset. From the next call on, its records cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
        """
        answer: ItemDataset | None = self._call(
            "delete_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
        )
        return answer

    def create_event_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
    ) -> EventDataset:
        """Create an event dataset.

        Events of all types go into one dataset, which several projects can share. `num_shards` sets
        its capacity, at 100,000 records per shard. The account's plan caps the total number of
        shards of all event datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. It is stored and returned,
                but has no effect: training does not read the attributes of events.
            retention_days: How many days events are kept. Workers delete events whose `ts` is
                older than that, usually within an hour. Older events can still be written, and are
                deleted in the same way. Null: events are kept until you delete them.
        """
        answer: EventDataset = self._call(
            "create_event_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
                "retention_days": keep_none(retention_days),
            },
        )
        return answer

    def get_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset:
        """Get an event dataset.

        Returns the dataset's settings and its number of events.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
        """
        answer: EventDataset = self._call(
            "get_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
        )
        return answer

    def list_event_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListEventDatasetsResponse:
        """List the account's event datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListEventDatasetsResponse = self._call(
            "list_event_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_event_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[EventDataset]:
        """List the account's event datasets.

        Like `list_event_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_event_datasets",
            "event_datasets",
            {
                "page_size": page_size,
            },
        )

    def update_event_dataset(
        self,
        *,
        event_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
    ) -> EventDataset:
        """Change the name, attribute schema, number of shards or retention of an event dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema, and
        `retention_days: null` the retention. A retention deletes events, so a caller who sets one
        must be allowed to call `/delete-dataset-events-before-ts`, too.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. It is stored and returned,
                but has no effect: training does not read the attributes of events. If absent, the
                schema stays as it is.
            retention_days: How many days events are kept. Workers delete events whose `ts` is
                older than that, usually within an hour. Older events can still be written, and are
                deleted in the same way. Null: events are kept until you delete them. If absent, it
                stays as it is. A new value applies at once.
        """
        answer: EventDataset = self._call(
            "update_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
                "retention_days": keep_none(retention_days),
            },
        )
        return answer

    def delete_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset | None:
        """Delete an event dataset and its records.

        Returns the deleted dataset. From the next call on, its events cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
        """
        answer: EventDataset | None = self._call(
            "delete_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
        )
        return answer

    def upsert_dataset_users(
        self,
        *,
        user_dataset_id: str,
        users: Sequence[UserRecord],
        mode: UpsertMode | None = None,
    ) -> UpsertDatasetUsersResponse:
        """Insert or update up to 1,000 users.

        Each record succeeds or fails independently. All records that succeed are written in one
        transaction. The records in `succeed_ids` are durable and visible to the next call. It is
        safe to send a record again. If a call contains several records with the same ID, the last
        one wins; with `MERGE`, they are merged in order.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            users: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
        """
        answer: UpsertDatasetUsersResponse = self._call(
            "upsert_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "users": users,
                "mode": mode,
            },
        )
        return answer

    def upsert_dataset_items(
        self,
        *,
        item_dataset_id: str,
        items: Sequence[ItemRecord],
        mode: UpsertMode | None = None,
    ) -> UpsertDatasetItemsResponse:
        """Insert or update up to 1,000 items.

        Each record succeeds or fails independently. All records that succeed are written in one
        transaction. The records in `succeed_ids` are durable and visible to the next call: for
        example, filters use a changed price at once. It is safe to send a record again.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            items: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
        """
        answer: UpsertDatasetItemsResponse = self._call(
            "upsert_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "items": items,
                "mode": mode,
            },
        )
        return answer

    def upsert_dataset_events(
        self,
        *,
        event_dataset_id: str,
        events: Sequence[EventRecord | EventChange],
        mode: UpsertMode | None = None,
        allow_old_ts: bool | None = None,
    ) -> UpsertDatasetEventsResponse:
        """Insert or update up to 1,000 events.

        Each event succeeds or fails independently. All events that succeed are written in one
        transaction. The events in `succeed_ids` are durable, and the user's next recommendations
        take them into account. It is safe to send an event again, because `event_id` identifies it.
        If your source has no unique ID, build one from `user_id`, `item_id`, `ts` and `event_type`.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            events: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
            allow_old_ts: Whether to write events of January 1970. Otherwise, if the newest `ts`
                of a call looks like seconds, its events fail with `TIME_UNIT`.
        """
        answer: UpsertDatasetEventsResponse = self._call(
            "upsert_dataset_events",
            {
                "event_dataset_id": event_dataset_id,
                "events": events,
                "mode": mode,
                "allow_old_ts": allow_old_ts,
            },
        )
        return answer

    def get_dataset_user(
        self,
        *,
        user_dataset_id: str,
        user_id: str,
    ) -> StoredUser:
        """Get a user.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: StoredUser = self._call(
            "get_dataset_user",
            {
                "user_dataset_id": user_dataset_id,
                "user_id": user_id,
            },
        )
        return answer

    def get_dataset_item(
        self,
        *,
        item_dataset_id: str,
        item_id: str,
    ) -> StoredItem:
        """Get an item.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            item_id: Your ID for the item. Control characters are not allowed.
        """
        answer: StoredItem = self._call(
            "get_dataset_item",
            {
                "item_dataset_id": item_dataset_id,
                "item_id": item_id,
            },
        )
        return answer

    def get_dataset_event(
        self,
        *,
        event_dataset_id: str,
        event_id: str,
    ) -> StoredEvent:
        """Get an event.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            event_id: Your ID for the event, unique in the dataset. Control characters are not
                allowed.
        """
        answer: StoredEvent = self._call(
            "get_dataset_event",
            {
                "event_dataset_id": event_dataset_id,
                "event_id": event_id,
            },
        )
        return answer

    def list_dataset_users(
        self,
        *,
        user_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetUsersResponse:
        """List the users of a dataset, sorted by ID.

        Returns the records in byte order of their IDs (UTF-8). A record that is written while you
        read the pages appears if its ID belongs on a later page.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetUsersResponse = self._call(
            "list_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_users(
        self,
        *,
        user_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
    ) -> Iterator[StoredUser]:
        """List the users of a dataset, sorted by ID.

        Like `list_dataset_users`, but iterates over the entries of all pages.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_users",
            "users",
            {
                "user_dataset_id": user_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
            },
        )

    def list_dataset_items(
        self,
        *,
        item_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetItemsResponse:
        """List the items of a dataset, sorted by ID.

        Returns the records in byte order of their IDs (UTF-8). A record that is written while you
        read the pages appears if its ID belongs on a later page.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetItemsResponse = self._call(
            "list_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_items(
        self,
        *,
        item_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
    ) -> Iterator[StoredItem]:
        """List the items of a dataset, sorted by ID.

        Like `list_dataset_items`, but iterates over the entries of all pages.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_items",
            "items",
            {
                "item_dataset_id": item_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
            },
        )

    def list_dataset_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
        event_type: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetEventsResponse:
        """List a user's events, newest first.

        Returns the events with `since_ts` <= `ts` < `until_ts`. Events with the same `ts` are
        ordered by `item_id`, `event_type` and `event_id`. An event that is written while you read
        the pages appears if it belongs on a later page.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
            event_type: Return only events of this type.
            since_ts: Return only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only events before this time, in milliseconds since the Unix epoch
                (UTC).
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetEventsResponse = self._call(
            "list_dataset_events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
                "event_type": event_type,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
        event_type: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
        page_size: int | None = None,
    ) -> Iterator[StoredEvent]:
        """List a user's events, newest first.

        Like `list_dataset_events`, but iterates over the entries of all pages.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
            event_type: Return only events of this type.
            since_ts: Return only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only events before this time, in milliseconds since the Unix epoch
                (UTC).
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_events",
            "events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
                "event_type": event_type,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "page_size": page_size,
            },
        )

    def find_items(
        self,
        *,
        project_id: str,
        item_ids: Sequence[str] | None = None,
        text: str | None = None,
        text_attributes: Sequence[str] | None = None,
        filter_query: str | None | Unset = UNSET,
        attributes: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> FoundItems:
        """Find items of a project by ID, by words or by a filter, and count them.

        Items must satisfy everything that you pass: be one of `item_ids`, contain the words of
        `text` and match `filter_query`. Returns them as they are now, and how many there are in the
        whole dataset. Serving processes answer it from the copy of the items that they keep in
        memory for filters; until it is loaded, a large dataset is read as far as the time of the
        call allows, and `is_complete` is false. It needs no deployed model, and does not count
        toward `qps`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            item_ids: Look at these items only. Those without a record are left out; the others
                are returned in this order.
            text: Only items that contain every word of this text, in their ID or in one of
                `text_attributes`. A word may be part of a longer one; upper and lower case are the
                same.
            text_attributes: The item attributes to search for `text`, such as the
                `title_attribute` of the project.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            attributes: The item attributes to return.
            limit: The maximum number of items to return; 0 only counts. Defaults to 20, or to
                the number of `item_ids`.
        """
        answer: FoundItems = self._call(
            "find_items",
            {
                "project_id": project_id,
                "item_ids": item_ids,
                "text": text,
                "text_attributes": text_attributes,
                "filter_query": keep_none(filter_query),
                "attributes": attributes,
                "limit": limit,
            },
        )
        return answer

    def delete_dataset_users(
        self,
        *,
        user_dataset_id: str,
        ids: Sequence[str],
    ) -> DeleteDatasetUsersResponse:
        """Delete up to 1,000 users by ID.

        The users' events stay. Delete them with `/delete-dataset-user-events`.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            ids: The IDs of the records to delete.
        """
        answer: DeleteDatasetUsersResponse = self._call(
            "delete_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "ids": ids,
            },
        )
        return answer

    def delete_dataset_items(
        self,
        *,
        item_dataset_id: str,
        ids: Sequence[str],
    ) -> DeleteDatasetItemsResponse:
        """Delete up to 1,000 items by ID.

        From the next call on, deleted items are no longer recommended. The events with these items
        stay, and training still learns from them.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            ids: The IDs of the records to delete.
        """
        answer: DeleteDatasetItemsResponse = self._call(
            "delete_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "ids": ids,
            },
        )
        return answer

    def delete_dataset_user_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
    ) -> DeleteDatasetUserEventsResponse:
        """Delete all events of a user.

        Returns when all of the user's events are deleted. If the call is interrupted, repeat it.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: DeleteDatasetUserEventsResponse = self._call(
            "delete_dataset_user_events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
            },
        )
        return answer

    def delete_dataset_events_before_ts(
        self,
        *,
        event_dataset_id: str,
        ts: int,
        start_ts: int | None = None,
    ) -> DeleteDatasetEventsBeforeTsResponse:
        """Delete events before a time.

        Deletes events with `start_ts` <= time < `ts`, and returns when they are deleted. To delete
        old events continuously, set `retention_days` of the dataset instead. If the call is
        interrupted, repeat it.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            ts: Delete events before this time, in milliseconds since the Unix epoch (UTC).
            start_ts: Keep events before this time, in milliseconds since the Unix epoch (UTC).
        """
        answer: DeleteDatasetEventsBeforeTsResponse = self._call(
            "delete_dataset_events_before_ts",
            {
                "event_dataset_id": event_dataset_id,
                "ts": ts,
                "start_ts": start_ts,
            },
        )
        return answer

    def erase_user(
        self,
        *,
        user_id: str,
    ) -> Erasure:
        """Erase a user from all datasets, results and training snapshots of the account.

        Deletes the user's records and events in every dataset, then every training snapshot and
        every result that contains the user's ID. The call returns when the records are deleted. If
        that takes more than 10 seconds, the call returns before all of them are deleted, and
        `records_deleted_ts` is null. A worker does the rest; poll `/get-erasure` until `status` is
        `DONE`. A model keeps serving without its snapshot, because its file contains no users.
        Querying and clustering jobs need a newly trained model. The erasure waits for jobs that
        were running when it started, because they may have already read the data. If you call it
        again for the same user while the erasure is running, it returns the same `erasure_id`, and
        the erasure starts over. Events and records that arrive after the erasure are new data and
        are kept, so stop sending them first.

        Args:
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: Erasure = self._call(
            "erase_user",
            {
                "user_id": user_id,
            },
        )
        return answer

    def get_erasure(
        self,
        *,
        erasure_id: str,
    ) -> Erasure:
        """Get the status of an erasure, what it removed, and what remains.

        Returns the receipt of `/erase-user`. It is kept for as long as the account exists, without
        the ID of the user, so store the `erasure_id` with the erasure request that you received.

        Args:
            erasure_id: The ID of the erasure. It starts with `ers_`.
        """
        answer: Erasure = self._call(
            "get_erasure",
            {
                "erasure_id": erasure_id,
            },
        )
        return answer

    def create_project(
        self,
        *,
        name: str,
        project_type: ProjectType,
        user_dataset_id: str,
        item_dataset_id: str,
        event_dataset_id: str,
        target_event_type: str,
        negative_event_types: Sequence[str] | None = None,
        attribution_hours: int | None = None,
        event_value_max: float | None | Unset = UNSET,
        title_attribute: str | None | Unset = UNSET,
        picture_attribute: str | None | Unset = UNSET,
    ) -> Project:
        """Create a project from three datasets and a target event type.

        The `serving_uri` never changes, and serves recommendations once a model is deployed. You
        cannot change the datasets or the target event type later; create another project with the
        same datasets instead.

        Args:
            name: The display name of the project.
            project_type: What the project does.
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            target_event_type: The event type that the project predicts, such as `buy`.
            negative_event_types: The event types by which users reject an item, such as
                `dislike`. The target event type cannot be one of them. If the newest event of a
                user with an item is negative, the item is not recommended to this user, and it
                lowers the scores of similar items if the data shows that this helps. A change takes
                effect with the next training job.
            attribution_hours: How long after a response an event counts as its result, in
                hours.
            event_value_max: The most that the `event_value` of one event counts in
                `/get-outcomes` and in experiments, so that a single event cannot decide them. Null
                for no limit. Training has limits of its own.
            title_attribute: The item attribute whose value is the title of an item, such as
                `title`. The console and the command line show it instead of the ID. Null if the
                project names none.
            picture_attribute: The item attribute whose value is the address (`https:`) of a
                picture of the item, such as `image_url`. The console shows the picture. Null if the
                project names none.
        """
        answer: Project = self._call(
            "create_project",
            {
                "name": name,
                "project_type": project_type,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "target_event_type": target_event_type,
                "negative_event_types": negative_event_types,
                "attribution_hours": attribution_hours,
                "event_value_max": keep_none(event_value_max),
                "title_attribute": keep_none(title_attribute),
                "picture_attribute": keep_none(picture_attribute),
            },
        )
        return answer

    def get_project(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Get a project.

        Returns the project with its current deployment.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project = self._call(
            "get_project",
            {
                "project_id": project_id,
            },
        )
        return answer

    def list_projects(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListProjectsResponse:
        """List the account's projects.

        Returns the projects, newest first. Without `page_size`, the response contains all of them,
        up to 10,000.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListProjectsResponse = self._call(
            "list_projects",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_projects(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[Project]:
        """List the account's projects.

        Like `list_projects`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_projects",
            "projects",
            {
                "page_size": page_size,
            },
        )

    def update_project(
        self,
        *,
        project_id: str,
        name: str | None = None,
        negative_event_types: Sequence[str] | None = None,
        attribution_hours: int | None = None,
        event_value_max: float | None | Unset = UNSET,
        title_attribute: str | None | Unset = UNSET,
        picture_attribute: str | None | Unset = UNSET,
        default: bool | None = None,
    ) -> Project:
        """Rename a project, change how it treats events and shows items, or make it the default
        project.

        You can send the whole project as you read it, but only `name`, `negative_event_types`,
        `title_attribute`, `picture_attribute` and `default` may differ.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the project.
            negative_event_types: The event types by which users reject an item, such as
                `dislike`. The target event type cannot be one of them. If the newest event of a
                user with an item is negative, the item is not recommended to this user, and it
                lowers the scores of similar items if the data shows that this helps. A change takes
                effect with the next training job.
            attribution_hours: How long after a response an event counts as its result, in
                hours.
            event_value_max: The most that the `event_value` of one event counts in
                `/get-outcomes` and in experiments, so that a single event cannot decide them. Null
                for no limit. Training has limits of its own. If absent, it stays as it is.
            title_attribute: The item attribute whose value is the title of an item, such as
                `title`. The console and the command line show it instead of the ID. Null if the
                project names none. If absent, it stays as it is.
            picture_attribute: The item attribute whose value is the address (`https:`) of a
                picture of the item, such as `image_url`. The console shows the picture. Null if the
                project names none. If absent, it stays as it is.
            default: Set to true to make this the default project of the account, replacing the
                previous one. Until you set one, the default is the first project that was deployed.
                It stays the default while it is shut down.
        """
        answer: Project = self._call(
            "update_project",
            {
                "project_id": project_id,
                "name": name,
                "negative_event_types": negative_event_types,
                "attribution_hours": attribution_hours,
                "event_value_max": keep_none(event_value_max),
                "title_attribute": keep_none(title_attribute),
                "picture_attribute": keep_none(picture_attribute),
                "default": default,
            },
        )
        return answer

    def delete_project(
        self,
        *,
        project_id: str,
    ) -> Project | None:
        """Delete a project and its algorithms, jobs, models and deployment.

        Returns the deleted project. Its datasets stay. Recommendations stop when the call returns;
        the files of models and results are removed in the background.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project | None = self._call(
            "delete_project",
            {
                "project_id": project_id,
            },
        )
        return answer

    def create_algorithm(
        self,
        *,
        project_id: str,
        name: str,
        algorithm_type: AlgorithmType,
        algorithm_parameters: AlgorithmParametersInput | None = None,
    ) -> Algorithm:
        """Create an algorithm in a project.

        An algorithm is a configuration for training jobs. With `{}` as `algorithm_parameters`, each
        training job chooses all parameters for your data. Parameters that you set are fixed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the algorithm.
            algorithm_type: The algorithm that trains the model. `G1`: Learns from the events of
                all users which items go together and which follow each other, and recommends what
                fits each user's own events. The default choice. `POPULAR`: Recommends popular
                items, with more weight on recent events, among all users or among users with the
                same value of a user attribute. About 100 target events are enough.
            algorithm_parameters: The parameters of the algorithm; each algorithm accepts only
                its own. Training chooses every parameter that is not set; with an empty object
                (`{}`), or without it, it chooses all of them.
        """
        answer: Algorithm = self._call(
            "create_algorithm",
            {
                "project_id": project_id,
                "name": name,
                "algorithm_type": algorithm_type,
                "algorithm_parameters": algorithm_parameters,
            },
        )
        return answer

    def get_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm:
        """Get an algorithm.

        Returns the configuration that new training jobs use.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
        """
        answer: Algorithm = self._call(
            "get_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    def list_algorithms(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListAlgorithmsResponse:
        """List a project's algorithms.

        Returns the algorithms, newest first. Without `page_size`, the response contains all of
        them, up to 10,000.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListAlgorithmsResponse = self._call(
            "list_algorithms",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_algorithms(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> Iterator[Algorithm]:
        """List a project's algorithms.

        Like `list_algorithms`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_algorithms",
            "algorithms",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    def update_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
        name: str | None = None,
        algorithm_parameters: AlgorithmParametersInput | None = None,
    ) -> Algorithm:
        """Change the name or parameters of an algorithm.

        Training jobs that were already submitted keep their parameters.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
            name: The display name of the algorithm.
            algorithm_parameters: The parameters of the algorithm; each algorithm accepts only
                its own. Training chooses every parameter that is not set; with an empty object
                (`{}`), or without it, it chooses all of them.
        """
        answer: Algorithm = self._call(
            "update_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
                "name": name,
                "algorithm_parameters": algorithm_parameters,
            },
        )
        return answer

    def delete_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm | None:
        """Delete an algorithm.

        Returns the deleted algorithm. Its models and the jobs that were already submitted stay.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
        """
        answer: Algorithm | None = self._call(
            "delete_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    def check_training(
        self,
        *,
        project_id: str,
        algorithm_id: str | None = None,
    ) -> TrainingCheck:
        """Check the data before training, and estimate the time and memory that training needs.

        Reads the current data and changes nothing. With `algorithm_id`, it checks the requirements
        and the parameters of that algorithm; without it, those of `G1`. For large datasets, it
        estimates the counts from a sample, and `sampled` is true. Each finding says what to do
        next.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`. Defaults to `G1`
                without parameters.
        """
        answer: TrainingCheck = self._call(
            "check_training",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    def submit_training_job(
        self,
        *,
        project_id: str,
        algorithm_id: str,
        name: str,
        holdout_hours: int | None = None,
    ) -> SubmitTrainingJobResponse:
        """Train a model.

        When the job succeeds, `/list-models` lists the model. Training reads the data as of one
        moment. Recommendations also take later events of the user into account. If the plan of the
        account caps training hours, only successful jobs use them up.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
            name: The display name of the job and of the model it trains.
            holdout_hours: Do not train on the events of the last hours, so that a guarded
                deployment right after the training has newer events to compare on. Recommendations
                still take them into account. If absent, all events are used.
        """
        answer: SubmitTrainingJobResponse = self._call(
            "submit_training_job",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
                "name": name,
                "holdout_hours": holdout_hours,
            },
        )
        return answer

    def submit_deployment_job(
        self,
        *,
        project_id: str,
        name: str,
        generator_model_id: str,
        ranker_model_id: str | None | Unset = UNSET,
        qps: int | None = None,
        guard: GuardInput | None = None,
    ) -> SubmitDeploymentJobResponse:
        """Deploy one or two models to serve the recommendation call.

        The model `generator_model_id` generates the recommendations; `ranker_model_id`, if present,
        re-ranks them. Every serving process loads and tests the models before the job switches to
        them, so no call fails because a deployment is replaced. If the job fails, the previous
        deployment keeps serving. With a `guard`, the job first compares the models with those that
        are deployed, and ends with `deployed: false` if they are worse.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the job.
            generator_model_id: The ID of the model that generates the recommendations. It
                starts with `mdl_`.
            ranker_model_id: The ID of the model that re-ranks the recommendations. Null if
                there is none.
            qps: The number of recommendation calls allowed per second, across all processes. If
                absent, the current number stays; for a project without a deployment it is 1.
            guard: Refuses a candidate that is worse than the deployed models. Both predict the
                same target events: the newest ones, which neither was trained on. The candidate is
                refused if the lower end of the interval of its loss is above `max_loss`; of
                candidates that are not worse than that, at most 5% are refused.
        """
        answer: SubmitDeploymentJobResponse = self._call(
            "submit_deployment_job",
            {
                "project_id": project_id,
                "name": name,
                "generator_model_id": generator_model_id,
                "ranker_model_id": keep_none(ranker_model_id),
                "qps": qps,
                "guard": guard,
            },
        )
        return answer

    def submit_querying_job(
        self,
        *,
        name: str,
        project_id: str,
        model_id: str,
        query_type: Literal["user_list"] | Literal["user_distribution"],
        queries: Sequence[UserListQueryInput | UserDistributionQueryInput],
        table_format: TableFormat | None | Unset = UNSET,
    ) -> SubmitQueryingJobResponse:
        """Query users by their affinity for item attribute values.

        A user's affinity for a value of an item attribute, called `usage` in the results, is a
        number from 0 to 1. It is the share of the user's target events whose items have that value,
        each event weighted by its `event_value`, as of the training of the model. The fewer events
        a user has, the more the affinity follows the model's prediction. Bounds are inclusive, and
        the conditions of a query are combined with AND. The result of a `user_list` is NDJSON: one
        line per query, `{"query":0,"conditions":[…],"user_count":2}`, each followed by one line per
        matching user, `{"user_id":"u7","usage":[0.62]}`, with the affinity for each condition. The
        result of a `user_distribution` is JSON:
        `{"distributions":[{"attribute":"genres","value":"Drama","bins":20,"edges":[0,0.05,…],"counts":[31,…],"user_count":900,"chart":"<svg
        …"}]}`, with the chart of each query as SVG in the file, and in a file of its own
        (`chart_urls`). With `table_format`, a `user_list` has one row per user and condition:
        `query` (from 0), `user_id`, `attribute`, `value` and `usage`. A `user_distribution` has one
        row per bin: `query`, `attribute`, `value`, `low`, `high` and `users`. If no item had the
        attribute when the model was trained, this call fails. If no item had the value, the query
        returns 0 users, and a `message` in the file and in the job result names the nearest value.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            table_format: Writes the result as a table too, for spreadsheets, data frames and
                warehouses. `table_url` in the job result is its URL.
            query_type: Lists the users who match each query.
            queries: The queries. The result contains them in the same order.
        """
        answer: SubmitQueryingJobResponse = self._call(
            "submit_querying_job",
            {
                "name": name,
                "project_id": project_id,
                "model_id": model_id,
                "table_format": keep_none(table_format),
                "query_type": query_type,
                "queries": queries,
            },
        )
        return answer

    def submit_clustering_job(
        self,
        *,
        name: str,
        project_id: str,
        model_id: str,
        cluster_type: ClusterType,
        table_format: TableFormat | None = None,
        parameters: ClusteringParametersInput | None = None,
    ) -> SubmitClusteringJobResponse:
        """Cluster users by taste.

        Clusters users by their taste at the time the model was trained. The job chooses the largest
        number of clusters for which clustering two random halves of the users gives similar
        clusters. Clusters smaller than `min_user_num` are dropped, and their users are not assigned
        to a cluster. The result is NDJSON: one summary line,
        `{"clusters":2,"users":900,"unassigned":3}`; one line per cluster, largest first,
        `{"cluster_id":4,"size":610,"cohesion":0.71,"items":[{"item_id":"i1","share":0.4,"share_of_all":0.1,"lift":4}],"attributes":[{"attribute":"genres","value":"Drama","share":0.5,"share_of_all":0.2,"lift":2.5}]}`,
        with what distinguishes it; and one line per user, `{"user_id":"u7","cluster_id":4}`, where
        `cluster_id` is null for a user who is not assigned to a cluster. The chart is a map of the
        clusters, as SVG; `map_url` has the same map as JSON. With `table_format`, the table has one
        row per user: `user_id` and `cluster_id`. A cluster keeps its ID from one clustering of the
        project to the next, even with a new model, if at least 30% of the users in either cluster
        are in both. An ID is never reused for another cluster.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            cluster_type: What to cluster.
            table_format: Writes the result as a table too, for spreadsheets, data frames and
                warehouses. `table_url` in the job result is its URL.
            parameters: The parameters of the clustering. All of them are optional.
        """
        answer: SubmitClusteringJobResponse = self._call(
            "submit_clustering_job",
            {
                "name": name,
                "project_id": project_id,
                "model_id": model_id,
                "cluster_type": cluster_type,
                "table_format": table_format,
                "parameters": parameters,
            },
        )
        return answer

    def submit_export_job(
        self,
        *,
        name: str,
        project_id: str,
        format: ExportFormat,
        user_dataset_id: str | None = None,
        item_dataset_id: str | None = None,
        event_dataset_id: str | None = None,
        experiment_id: str | None = None,
        since_ts: int | None = None,
    ) -> SubmitExportJobResponse:
        """Export the records of a dataset to files.

        Pass exactly one dataset or experiment of the project. `since_ts` applies only to events.
        Each record that exists during the whole export is in the files exactly once, in byte order
        of its ID. The export is not a snapshot: if you write or delete a record meanwhile, the
        files contain it as it was before or after the change, or not at all. A new file starts
        after about 256 MiB; `download_urls` lists all files. NDJSON has one record per line, as the
        get operations return it. CSV and Parquet have one column per field, one per attribute of
        the attribute schema, and the column `attributes` with all attributes as JSON. `tastegraph
        import` reads each of these formats without loss. The exposures of an experiment are one row
        per user: `experiment_id`, `variation_id` (the number of the variant, starting at 0),
        `variation_name`, `user_id` and `timestamp` (of the first response), as GrowthBook and
        similar tools read them.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_dataset_id: The ID of the user dataset to export. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset to export. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset to export. It starts with `eds_`.
            experiment_id: The ID of the experiment whose exposures to export, instead of a
                dataset. It starts with `exp_`.
            format: The format of the files.
            since_ts: Export only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
        """
        answer: SubmitExportJobResponse = self._call(
            "submit_export_job",
            {
                "name": name,
                "project_id": project_id,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "experiment_id": experiment_id,
                "format": format,
                "since_ts": since_ts,
            },
        )
        return answer

    def submit_import_job(
        self,
        *,
        name: str,
        project_id: str,
        path: str,
        user_dataset_id: str | None = None,
        item_dataset_id: str | None = None,
        event_dataset_id: str | None = None,
        columns: ImportColumns | None = None,
        event_type: str | None = None,
        allow_old_ts: bool | None = None,
    ) -> SubmitImportJobResponse:
        """Import files from the object store into a dataset.

        Pass exactly one dataset of the project. The files may be CSV (also with tabs or semicolons,
        with a header), NDJSON or Parquet, and plain or gzip. The job reads them in byte order of
        their names, and writes their records as the upsert operations do, with the same checks.
        Columns become fields and attributes as they do in `tastegraph import`: by their names, and
        their types by the first 1,000 rows of each file. A rejected record does not stop the job.
        `record_count` in the result is the number of records that were written and `rejected_count`
        of those that were rejected; `download_url` has up to 10,000 of these as NDJSON:
        `{"file":"events/2026-01.csv","line":7,"code":"FIELD_INVALID","message":"ts must be an
        integer","record":{…}}`. Without a column for `event_id`, the ID is derived from user, item,
        time and type, so importing the same file again adds no event. If a worker stops or fails,
        the job starts again; records that are written already stay as they are. Files are not
        changed or removed.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_dataset_id: The ID of the user dataset to import into. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset to import into. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset to import into. It starts with `eds_`.
            path: A file below the folder `imports/<account_id>/` of the service's object store,
                such as `events/2026-01.parquet`, or a folder that ends with `/`: all files in it.
                Lower-case letters, digits, `_` and `-`.
            columns: Which column becomes which field or attribute, if the name of the column
                does not say it: `{"item_id": "sku"}`.
            event_type: The type of all events, if no column has it.
            allow_old_ts: Whether to write events of January 1970. Otherwise, if the newest `ts`
                of a call looks like seconds, its events fail with `TIME_UNIT`.
        """
        answer: SubmitImportJobResponse = self._call(
            "submit_import_job",
            {
                "name": name,
                "project_id": project_id,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "path": path,
                "columns": columns,
                "event_type": event_type,
                "allow_old_ts": allow_old_ts,
            },
        )
        return answer

    def submit_recommending_job(
        self,
        *,
        name: str,
        project_id: str,
        format: RecommendationFormat,
        user_ids: Sequence[str] | None = None,
        scenario: str | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
    ) -> SubmitRecommendingJobResponse:
        """Recommend items to all users, or to a list of users.

        Recommends items to each user as `/recommend-items-to-user` does, with the same fields, and
        writes the recommendations to files. Each user is in the files exactly once, in byte order
        of `user_id`. The job does not count toward `qps`. The job uses the models that are deployed
        when it starts, even if you deploy others before it ends. The recommendations for a user
        reflect the data at the time they are computed. A file has at least 50,000 users, except for
        the last one; `download_urls` lists all files. NDJSON has one line per user, such as
        `{"user_id":"u7","results":[{"item":{"item_id":"i1","title":"Emma"}}],"shortfall":null}`,
        with the `results` and `shortfall` of the recommendation call. CSV and Parquet have one row
        per recommended item, with the columns `user_id`, `position` (from 1), `item_id` and one per
        requested attribute; a user without recommended items has no row. If a worker stops or
        fails, the job continues after the last complete file.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_ids: The users to recommend items to. If absent, all users: those with a
                record, and those with events.
            format: The format of the files.
            scenario: The name of a scenario of the project with the question `ITEMS_TO_USER`.
                The job takes its fields as they are when you submit it, unless the request has them
                itself.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
        """
        answer: SubmitRecommendingJobResponse = self._call(
            "submit_recommending_job",
            {
                "name": name,
                "project_id": project_id,
                "user_ids": user_ids,
                "format": format,
                "scenario": scenario,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
            },
        )
        return answer

    def get_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Get the status, progress and result of a job.

        Poll it until `job_status` is `SUCCEED`, `FAILED` or `CANCELED`. For a waiting job,
        `progress` says what it is waiting for. For a failed job, `error` says what to do. A job is
        removed 365 days after it has ended (`JOB_RETENTION_DAYS`). The call then returns
        `NOT_FOUND`, as after `/delete-job`. The job that trained a model stays as long as the
        model, the last job of a schedule as long as the schedule, and every job as long as its
        result.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job = self._call(
            "get_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    def list_jobs(
        self,
        *,
        project_id: str,
        job_type: JobType | None = None,
        job_status: JobStatus | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListJobsResponse:
        """List a project's jobs.

        Returns the jobs, newest first. With `job_type` or `job_status`, it returns only jobs of
        that type or with that status. Jobs that ended long ago are removed: see `/get-job`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_type: The type of the job.
            job_status: The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListJobsResponse = self._call(
            "list_jobs",
            {
                "project_id": project_id,
                "job_type": job_type,
                "job_status": job_status,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_jobs(
        self,
        *,
        project_id: str,
        job_type: JobType | None = None,
        job_status: JobStatus | None = None,
        page_size: int | None = None,
    ) -> Iterator[ListedJob]:
        """List a project's jobs.

        Like `list_jobs`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_type: The type of the job.
            job_status: The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_jobs",
            "jobs",
            {
                "project_id": project_id,
                "job_type": job_type,
                "job_status": job_status,
                "page_size": page_size,
            },
        )

    def cancel_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Cancel a job that has not ended.

        Cancels a waiting or running job at once. The worker stops working on it within seconds.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job = self._call(
            "cancel_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    def delete_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job | None:
        """Delete a job that has ended, and the files of its result.

        Returns the deleted job. The files of its result are removed within seconds, and their
        download URLs stop working. The model of a `TRAINING` job stays until you call
        `/delete-model`. The deployment of a `DEPLOYMENT` job keeps serving.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job | None = self._call(
            "delete_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    def get_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model:
        """Get a model.

        `training` describes how the model was trained: its parameters, its metrics on held-out
        events compared with recommending the most popular items, and what was left out. A model
        that is not in use is removed after 365 days (`MODEL_RETENTION_DAYS`). The call then returns
        `NOT_FOUND`, as after `/delete-model`. A model is in use while it is deployed, kept for a
        rollback, part of a running experiment, or named by a schedule or by a job that has not
        ended. The newest model of a project always stays.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
        """
        answer: Model = self._call(
            "get_model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
        )
        return answer

    def list_models(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListModelsResponse:
        """List a project's models.

        Returns the models of successful training jobs, newest first. Models that are old and not in
        use are removed: see `/get-model`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListModelsResponse = self._call(
            "list_models",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_models(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> Iterator[Model]:
        """List a project's models.

        Like `list_models`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_models",
            "models",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    def update_model(
        self,
        *,
        project_id: str,
        model_id: str,
        name: str,
    ) -> Model:
        """Rename a model.

        Changes the display name. Nothing else about a model can be changed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            name: The display name of the model.
        """
        answer: Model = self._call(
            "update_model",
            {
                "project_id": project_id,
                "model_id": model_id,
                "name": name,
            },
        )
        return answer

    def delete_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model | None:
        """Delete a model that is not deployed.

        Returns the deleted model. Shut down a deployed model with `/shutdown-deployment` first. The
        models that `/rollback-deployment` returns to are kept too, until others are deployed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
        """
        answer: Model | None = self._call(
            "delete_model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
        )
        return answer

    def shutdown_deployment(
        self,
        *,
        project_id: str,
    ) -> ShutdownDeploymentResponse:
        """Shut down a project's deployment.

        From the next call on, the project's recommendation calls return `PROJECT_NOT_DEPLOYED`
        until a model is deployed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: ShutdownDeploymentResponse = self._call(
            "shutdown_deployment",
            {
                "project_id": project_id,
            },
        )
        return answer

    def rollback_deployment(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Return to the models that were deployed before.

        Every serving process loads the models and tries them, as for a deployment; the response
        comes after that, usually within a second, and has the project. The next call on every
        process uses them, and no call fails. If they cannot be served, the current ones stay. `qps`
        stays as it is. The last 10 deployments with other models are kept: a second rollback
        returns to the one before that. A deployment whose model was deleted is skipped; that of the
        next rollback cannot be deleted. Webhooks are told with `deployment.rolled_back`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project = self._call(
            "rollback_deployment",
            {
                "project_id": project_id,
            },
        )
        return answer

    def create_scenario(
        self,
        *,
        project_id: str,
        name: str,
        question: Literal["ITEMS_TO_USER", "ITEMS_TO_ITEM", "RANKING", "POPULAR"],
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
    ) -> Scenario:
        """Create a scenario.

        A scenario is a named set of fields of a recommendation call. A call with this name in
        `scenario` uses these fields; fields of the call itself override them.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            question: The recommendation call that the scenario is for: `ITEMS_TO_USER` for
                `/recommend-items-to-user`, `ITEMS_TO_ITEM` for `/recommend-items-to-item`,
                `RANKING` for `/rank-items-for-user`, `POPULAR` for `/recommend-popular-items`.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
        """
        answer: Scenario = self._call(
            "create_scenario",
            {
                "project_id": project_id,
                "name": name,
                "question": question,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "attributes": attributes,
                "explain": explain,
            },
        )
        return answer

    def get_scenario(
        self,
        *,
        project_id: str,
        name: str,
        version: int | None = None,
    ) -> Scenario:
        """Get a scenario.

        Returns the current version, or one of the last 20.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            version: The version to return: the last 20 are kept. Defaults to the current one.
        """
        answer: Scenario = self._call(
            "get_scenario",
            {
                "project_id": project_id,
                "name": name,
                "version": version,
            },
        )
        return answer

    def list_scenarios(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListScenariosResponse:
        """List a project's scenarios.

        Returns the current version of each scenario, newest scenario first. A project has at most
        100.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListScenariosResponse = self._call(
            "list_scenarios",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_scenarios(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> Iterator[Scenario]:
        """List a project's scenarios.

        Like `list_scenarios`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_scenarios",
            "scenarios",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    def update_scenario(
        self,
        *,
        project_id: str,
        name: str,
        version: int | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
    ) -> Scenario:
        """Replace the settings of a scenario.

        Creates a new version with exactly the fields that you send; fields that you leave out
        return to their defaults. The new version takes effect with the next call on every process.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            version: The version that you have read. If it is not the current one, the update is
                refused.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
        """
        answer: Scenario = self._call(
            "update_scenario",
            {
                "project_id": project_id,
                "name": name,
                "version": version,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "attributes": attributes,
                "explain": explain,
            },
        )
        return answer

    def delete_scenario(
        self,
        *,
        project_id: str,
        name: str,
    ) -> Scenario | None:
        """Delete a scenario and its versions.

        Returns the deleted scenario. From the next call on, calls with its name fail with
        `NOT_FOUND`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
        """
        answer: Scenario | None = self._call(
            "delete_scenario",
            {
                "project_id": project_id,
                "name": name,
            },
        )
        return answer

    def create_experiment(
        self,
        *,
        project_id: str,
        name: str,
        scenario: str,
        variants: Sequence[NewVariant],
        metric: Literal["CLICKED", "CONVERTED", "TARGET_EVENTS", "VALUE"] | None = None,
        window_hours: float | None = None,
    ) -> Experiment:
        """Compare models or settings on real users.

        Starts at once. Recommendation calls of the scenario with a `user_id` are assigned to a
        variant by a hash of the user and the experiment, so a user always gets the same one; calls
        that name a `model_id` are not part of it. Responses name their variant in `experiment`.
        While it runs, the models and the scenario cannot be deleted. A scenario has at most one
        running experiment, and an account 20. A project keeps its last 200 experiments. Figures
        need the decision log: they stop to change once the first answers are older than
        `DECISION_LOG_DAYS`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the experiment.
            scenario: The name of the scenario whose calls are part of the experiment. `default`
                for calls without a scenario.
            variants: The variants. The first one is the control, which the others are compared
                with.
            metric: What decides, per user: `CLICKED` (the share of users with an event on a
                recommended item), `CONVERTED` (the share of users with a target event; the
                default), `TARGET_EVENTS` (target events per user) or `VALUE` (the sum of
                `event_value` of target events per user).
            window_hours: The time after the first response to a user in which events count. A
                user is measured once it has passed, so that every user has had the same time.
                Defaults to 24.
        """
        answer: Experiment = self._call(
            "create_experiment",
            {
                "project_id": project_id,
                "name": name,
                "scenario": scenario,
                "variants": variants,
                "metric": metric,
                "window_hours": window_hours,
            },
        )
        return answer

    def get_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
    ) -> ExperimentResults:
        """Get the results of an experiment.

        With figures per variant, intervals that you may look at as often as you like, a check of
        the shares, the verdict and the figures by day.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            experiment_id: The ID of the experiment. It starts with `exp_`.
        """
        answer: ExperimentResults = self._call(
            "get_experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
            },
        )
        return answer

    def list_experiments(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListExperimentsResponse:
        """List a project's experiments.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListExperimentsResponse = self._call(
            "list_experiments",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_experiments(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> Iterator[Experiment]:
        """List a project's experiments.

        Like `list_experiments`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_experiments",
            "experiments",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    def stop_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
        promote: str | None = None,
    ) -> Experiment:
        """Stop an experiment, and keep a variant for all users.

        Applies to the next call. To promote a variant with a model, the caller must be allowed to
        call `/submit-deployment-job`, and for one with a scenario version, `/update-scenario`.
        Events that follow earlier responses still count.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            experiment_id: The ID of the experiment. It starts with `exp_`.
            promote: The name of the variant to keep for all users: its models are deployed, and
                its settings become a new version of the scenario. Without it, all users get what
                they got without the experiment.
        """
        answer: Experiment = self._call(
            "stop_experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
                "promote": promote,
            },
        )
        return answer

    def create_schedule(
        self,
        *,
        project_id: str,
        name: str,
        cron: str,
        what: ScheduledWorkInput,
        time_zone: str | None = None,
        when_running: Literal["SKIP", "QUEUE"] | None = None,
    ) -> Schedule:
        """Submit a job at certain times.

        Workers submit one job per run, however many workers there are. If no worker was running,
        the last run that is due is made up for once, and earlier ones count as missed. A run that
        is missed is in the log and in the metrics of the worker, in `last_missed`, and is sent to
        webhooks. A project has at most 50 schedules.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the schedule and of its jobs.
            cron: When to run: a cron expression of five fields (minute, hour, day of the month,
                month, day of the week), such as `0 3 * * *` for every night at three.
            time_zone: The time zone of `cron`, as in the IANA database, such as
                `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs
                at the next one that exists; one that occurs twice runs the first time.
            what: What to run. With a `guard`, the training leaves out the events of the last 24
                hours, unless `request` has another `holdout_hours`.
            when_running: What to do if the job of the run before has not ended. `SKIP` (the
                default): this run is left out and counts as missed. `QUEUE`: its job is submitted
                as well.
        """
        answer: Schedule = self._call(
            "create_schedule",
            {
                "project_id": project_id,
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "what": what,
                "when_running": when_running,
            },
        )
        return answer

    def get_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
    ) -> Schedule:
        """Get a schedule.

        With its next run, its last one and the last one that was missed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
        """
        answer: Schedule = self._call(
            "get_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
            },
        )
        return answer

    def list_schedules(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListSchedulesResponse:
        """List a project's schedules.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListSchedulesResponse = self._call(
            "list_schedules",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_schedules(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> Iterator[Schedule]:
        """List a project's schedules.

        Like `list_schedules`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_schedules",
            "schedules",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    def update_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
        name: str | None = None,
        cron: str | None = None,
        time_zone: str | None = None,
        what: ScheduledWorkInput | None = None,
        when_running: Literal["SKIP", "QUEUE"] | None = None,
        paused: bool | None = None,
        run_now: bool | None = None,
    ) -> Schedule:
        """Change, pause or resume a schedule.

        Fields that you leave out stay as they are. A job that is running goes on.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
            name: The display name of the schedule and of its jobs.
            cron: When to run: a cron expression of five fields (minute, hour, day of the month,
                month, day of the week), such as `0 3 * * *` for every night at three.
            time_zone: The time zone of `cron`, as in the IANA database, such as
                `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs
                at the next one that exists; one that occurs twice runs the first time.
            what: What to run. With a `guard`, the training leaves out the events of the last 24
                hours, unless `request` has another `holdout_hours`.
            when_running: What to do if the job of the run before has not ended. `SKIP` (the
                default): this run is left out and counts as missed. `QUEUE`: its job is submitted
                as well.
            paused: True pauses the schedule. False resumes it: runs during the pause are not
                made up for.
            run_now: True starts a run within a second or two, beside those of `cron`. Refused
                while the schedule is paused.
        """
        answer: Schedule = self._call(
            "update_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "what": what,
                "when_running": when_running,
                "paused": paused,
                "run_now": run_now,
            },
        )
        return answer

    def delete_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
    ) -> Schedule | None:
        """Delete a schedule.

        Returns the deleted schedule. Its jobs stay, and a job that is running goes on.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
        """
        answer: Schedule | None = self._call(
            "delete_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
            },
        )
        return answer

    def create_webhook(
        self,
        *,
        url: str,
        events: Sequence[WebhookEventType],
    ) -> CreatedWebhook:
        """Have messages sent to a URL when something happens.

        Each message is a POST with a JSON body of `type`, `timestamp` and `data`, signed as
        [Standard Webhooks](https://www.standardwebhooks.com) has it: in the headers `webhook-id`,
        `webhook-timestamp` and `webhook-signature`. A response with a status of 2xx within 10
        seconds confirms it. Messages are delivered at least once, in any order: `webhook-id` tells
        repetitions. A message that is not confirmed is sent again for a day, with growing pauses. A
        webhook that failed for a whole day is disabled, and so is one that answers 410. Redirects
        are not followed. An account has at most 20 webhooks.

        Args:
            url: Where to send the messages, with `http://` or `https://`, without credentials
                and fragment. Unless the operator allows it, addresses of private networks are
                refused.
            events: What to send messages about.
        """
        answer: CreatedWebhook = self._call(
            "create_webhook",
            {
                "url": url,
                "events": events,
            },
        )
        return answer

    def get_webhook(
        self,
        *,
        webhook_id: str,
    ) -> Webhook:
        """Get a webhook.

        With its last failure, and how many messages are pending.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
        """
        answer: Webhook = self._call(
            "get_webhook",
            {
                "webhook_id": webhook_id,
            },
        )
        return answer

    def list_webhooks(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListWebhooksResponse:
        """List the account's webhooks.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListWebhooksResponse = self._call(
            "list_webhooks",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_webhooks(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[Webhook]:
        """List the account's webhooks.

        Like `list_webhooks`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_webhooks",
            "webhooks",
            {
                "page_size": page_size,
            },
        )

    def update_webhook(
        self,
        *,
        webhook_id: str,
        url: str | None = None,
        events: Sequence[WebhookEventType] | None = None,
        enabled: bool | None = None,
        rotate_secret: bool | None = None,
    ) -> Webhook:
        """Change, enable or disable a webhook, or rotate its secret.

        Fields that you leave out stay as they are. Disabling it drops its pending messages.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
            url: Where to send the messages, with `http://` or `https://`, without credentials
                and fragment. Unless the operator allows it, addresses of private networks are
                refused.
            events: What to send messages about.
            enabled: False stops sending; true starts again, with new messages only.
            rotate_secret: True creates a new secret, which the response contains. For 24 hours,
                messages are signed with both.
        """
        answer: Webhook = self._call(
            "update_webhook",
            {
                "webhook_id": webhook_id,
                "url": url,
                "events": events,
                "enabled": enabled,
                "rotate_secret": rotate_secret,
            },
        )
        return answer

    def delete_webhook(
        self,
        *,
        webhook_id: str,
    ) -> Webhook | None:
        """Delete a webhook and its pending messages.

        Returns the deleted webhook.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
        """
        answer: Webhook | None = self._call(
            "delete_webhook",
            {
                "webhook_id": webhook_id,
            },
        )
        return answer

    def get_project_statistics(
        self,
        *,
        project_id: str,
        since_ts: int | None = None,
        until_ts: int | None = None,
        interval: Literal["HOUR", "DAY"] | None = None,
    ) -> ProjectStatistics:
        """Get the calls, events and records of a project over time.

        Processes count in memory and write their counts every 10 seconds, so the newest calls
        appear with this delay; a process that is killed loses the counts of these seconds. Counts
        of calls are kept for 90 days, those of records for 400.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            since_ts: The start of the time range, rounded down to the interval; by default 30
                days before its end, in milliseconds since the Unix epoch (UTC).
            until_ts: The end of the time range, exclusive; by default now, in milliseconds
                since the Unix epoch (UTC).
            interval: The length of the intervals in `calls`. Days are in UTC. A range may have
                at most 744 hours or 400 days.
        """
        answer: ProjectStatistics = self._call(
            "get_project_statistics",
            {
                "project_id": project_id,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "interval": interval,
            },
        )
        return answer

    def get_usage(
        self,
        *,
        since_ts: int | None = None,
        until_ts: int | None = None,
    ) -> Usage:
        """Get what the account uses of its plan, and its calls by project and caller.

        Processes count in memory and write their counts every 10 seconds, so the newest calls
        appear with this delay; a process that is killed loses the counts of these seconds. Counts
        of calls are kept for 90 days, those of records for 400.

        Args:
            since_ts: The start of the time range, rounded down to the interval; by default 30
                days before its end, in milliseconds since the Unix epoch (UTC).
            until_ts: The end of the time range, exclusive; by default now, in milliseconds
                since the Unix epoch (UTC).
        """
        answer: Usage = self._call(
            "get_usage",
            {
                "since_ts": since_ts,
                "until_ts": until_ts,
            },
        )
        return answer

    def invite_person(
        self,
        *,
        email: str,
        name: str,
        role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"],
    ) -> InvitedPerson:
        """Invite a person to the account.

        Gives the person a role and returns a one-time link to sign in. For a person of this
        account, it replaces the role, and the link replaces their password and sessions, for
        example if they have forgotten the password. Whether the email is in use in another account
        makes no difference. An account has at most 1000 people.

        Args:
            email: The person's email address. Upper and lower case are the same.
            name: The display name of the person.
            role: What the person may do in this account: each role includes the ones before it.
        """
        answer: InvitedPerson = self._call(
            "invite_person",
            {
                "email": email,
                "name": name,
                "role": role,
            },
        )
        return answer

    def get_person(
        self,
        *,
        person_id: str,
    ) -> Person:
        """Get a person of the account.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
        """
        answer: Person = self._call(
            "get_person",
            {
                "person_id": person_id,
            },
        )
        return answer

    def list_people(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListPeopleResponse:
        """List the people of the account.

        By ID, which is the order in which they were first invited.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListPeopleResponse = self._call(
            "list_people",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_people(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[Person]:
        """List the people of the account.

        Like `list_people`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_people",
            "people",
            {
                "page_size": page_size,
            },
        )

    def update_person(
        self,
        *,
        person_id: str,
        role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"],
    ) -> Person:
        """Change a person's role.

        Takes effect within two seconds, in all sessions of the person.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
            role: What the person may do in this account: each role includes the ones before it.
        """
        answer: Person = self._call(
            "update_person",
            {
                "person_id": person_id,
                "role": role,
            },
        )
        return answer

    def remove_person(
        self,
        *,
        person_id: str,
    ) -> RemovedPerson:
        """Remove a person from the account.

        Returns the removed person. Their password, sessions, link and identity end with them;
        sessions and download URLs within two seconds. API keys that they created go on working:
        `api_keys` lists them.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
        """
        answer: RemovedPerson = self._call(
            "remove_person",
            {
                "person_id": person_id,
            },
        )
        return answer

    def list_audit_events(
        self,
        *,
        actor_id: str | None = None,
        operation: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListAuditEventsResponse:
        """List the changes made in the account.

        Every change by a person or an API key, newest first, with who, when and what. Contents of
        records and secrets are never part of it. Upserts by API keys are not listed; other writes
        of records are counted per hour, dataset and caller. Calls that were refused are only in the
        log.

        Args:
            actor_id: Only changes by this person (their ID) or this API key.
            operation: Only calls of this operation, by its path, such as `/delete-project`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListAuditEventsResponse = self._call(
            "list_audit_events",
            {
                "actor_id": actor_id,
                "operation": operation,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_audit_events(
        self,
        *,
        actor_id: str | None = None,
        operation: str | None = None,
        page_size: int | None = None,
    ) -> Iterator[AuditEvent]:
        """List the changes made in the account.

        Like `list_audit_events`, but iterates over the entries of all pages.

        Args:
            actor_id: Only changes by this person (their ID) or this API key.
            operation: Only calls of this operation, by its path, such as `/delete-project`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_audit_events",
            "audit_events",
            {
                "actor_id": actor_id,
                "operation": operation,
                "page_size": page_size,
            },
        )

    def create_api_key(
        self,
        *,
        name: str,
        operations: Sequence[str] | None = None,
    ) -> CreatedApiKey:
        """Create an API key.

        Returns the secret, which is shown only this once. You can only give a key operations that
        you may call yourself: a person those of their role, an API key those that it allows. An
        account has at most 1000 keys that are not revoked.

        Args:
            name: The display name of the key.
            operations: The paths of the operations that the key allows. Without it, the key
                allows all operations, also future ones.
        """
        answer: CreatedApiKey = self._call(
            "create_api_key",
            {
                "name": name,
                "operations": operations,
            },
        )
        return answer

    def create_write_key(
        self,
        *,
        name: str,
        event_dataset_id: str,
        user_dataset_id: str | None = None,
    ) -> CreatedWriteKey:
        """Create a write key, for senders that cannot fetch tokens.

        Returns the write key, which is shown only this once. A sender sends it as it is, without a
        token. It can only call `/upsert-dataset-events`, for one event dataset, with the mode
        `REPLACE`, and the paths for Segment's clients, and reads nothing. Whoever has it can add
        events, and replace events whose IDs they know; with `user_dataset_id`, also create users
        and change the attributes of any user in that dataset. You must be allowed to call
        `/upsert-dataset-events` yourself, and with `user_dataset_id` also `/upsert-dataset-users`.
        The other operations on API keys list, rename and revoke it by its `api_key`. It counts
        toward the 1000 keys of an account.

        Args:
            name: The display name of the key.
            event_dataset_id: The event dataset that the key writes to. It starts with `eds_`.
            user_dataset_id: The user dataset that the key writes the traits of users to. It
                starts with `uds_`. Without it, calls of `identify` are ignored.
        """
        answer: CreatedWriteKey = self._call(
            "create_write_key",
            {
                "name": name,
                "event_dataset_id": event_dataset_id,
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    def get_api_key(
        self,
        *,
        api_key: str,
    ) -> ApiKey:
        """Get an API key.

        Without its secret.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
        """
        answer: ApiKey = self._call(
            "get_api_key",
            {
                "api_key": api_key,
            },
        )
        return answer

    def list_api_keys(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListApiKeysResponse:
        """List the API keys of the account.

        Without their secrets. Revoked keys are listed too.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListApiKeysResponse = self._call(
            "list_api_keys",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_api_keys(
        self,
        *,
        page_size: int | None = None,
    ) -> Iterator[ApiKey]:
        """List the API keys of the account.

        Like `list_api_keys`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_api_keys",
            "api_keys",
            {
                "page_size": page_size,
            },
        )

    def update_api_key(
        self,
        *,
        api_key: str,
        name: str | None = None,
        operations: Sequence[str] | None = None,
    ) -> ApiKey:
        """Rename an API key, or change the operations that it allows.

        New operations apply within two seconds, also to existing tokens. You can only give a key
        operations that you may call yourself: a person those of their role, an API key those that
        it allows. You can only change a key that allows nothing that you may not call yourself. A
        write key can only be renamed. To let a key call all operations again, create a new one.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
            name: The display name of the key.
            operations: The paths of the operations that the key allows from now on. Without it,
                they stay as they are.
        """
        answer: ApiKey = self._call(
            "update_api_key",
            {
                "api_key": api_key,
                "name": name,
                "operations": operations,
            },
        )
        return answer

    def revoke_api_key(
        self,
        *,
        api_key: str,
    ) -> ApiKey:
        """Revoke an API key.

        The key and its tokens stop working within two seconds. This cannot be undone. Revoking a
        revoked key changes nothing. You can only change a key that allows nothing that you may not
        call yourself.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
        """
        answer: ApiKey = self._call(
            "revoke_api_key",
            {
                "api_key": api_key,
            },
        )
        return answer

    def recommend_items_to_user(
        self,
        *,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
        model_id: str | None = None,
    ) -> Recommendation:
        """Recommend items to a user.

        Recommendations reflect everything written before the call, including the user's latest
        events and changed or deleted items. Items for which the user has a target event are
        excluded unless `exclude_seen` is false. For a user without events, they are based on the
        attributes of the user and on popularity. Pass `user_id`, `context_items` or both.

        Args:
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
            model_id: The ID of another model of the project, to try it before you deploy it. It
                starts with `mdl_`. It recommends alone, without a ranker. The project must be
                deployed, and the call counts toward its `qps`. The first call may fail with 503
                while the model is loaded; a serving process loads it only into memory that the
                deployed models leave free.
        """
        answer: Recommendation = self._call(
            "recommend_items_to_user",
            {
                "user_id": user_id,
                "context_items": context_items,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
                "model_id": model_id,
            },
        )
        return answer

    def recommend_items_to_item(
        self,
        *,
        item_id: str | None = None,
        item_ids: Sequence[str] | None = None,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> SimilarItems:
        """Recommend items that are similar to an item or go with a basket.

        Pass either `item_id` or `item_ids`. Items are similar if the same users interact with them.
        The response never contains the items that you pass. With `user_id` or `context_items`, the
        order also depends on the taste of the user. If the deployed model is a `POPULAR` model, or
        knows none of the items that you pass, the response contains recommendations for the user
        instead (popular items if you pass neither `user_id` nor `context_items`), and `message`
        says so.

        Args:
            item_id: Your ID for the item. Control characters are not allowed.
            item_ids: The items in a basket, to get items that go with all of them. Pass either
                `item_id` or `item_ids`.
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: SimilarItems = self._call(
            "recommend_items_to_item",
            {
                "item_id": item_id,
                "item_ids": item_ids,
                "user_id": user_id,
                "context_items": context_items,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    def rank_items_for_user(
        self,
        *,
        item_ids: Sequence[str],
        filter_query: str | None | Unset = UNSET,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> Ranking:
        """Rank a list of items for a user.

        Returns the items that you pass, best first, with scores. Use it for search results, for
        example, or for a list that an editor made. Items that the user has seen are ranked like the
        others, and a `filter_query` leaves out those that do not match. A pin of an item that is
        not in the list has no effect. If a ranker model is deployed, it alone decides the order and
        the scores. `explain` applies to the best 200 items. Pass `user_id`, `context_items` or
        both.

        Args:
            item_ids: The items to rank, in any order. An item that is listed twice counts once.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: Ranking = self._call(
            "rank_items_for_user",
            {
                "item_ids": item_ids,
                "filter_query": keep_none(filter_query),
                "boosts": boosts,
                "pins": pins,
                "user_id": user_id,
                "context_items": context_items,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    def recommend_popular_items(
        self,
        *,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        user_id: str | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> PopularItems:
        """Recommend what is popular now.

        Returns the items with the most events in a window that ends now, then the other items by
        their popularity at training time. While calls arrive, the service counts the events about
        once a minute; the first response after a pause uses the last counts. For hours with more
        than 600 events (further back, for 6 hours or days), the counts are estimates. With
        `user_id`, items that the user has seen are left out.

        Args:
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            user_id: Your ID for the user. Control characters are not allowed.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: PopularItems = self._call(
            "recommend_popular_items",
            {
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "user_id": user_id,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    def get_recommendation(
        self,
        *,
        project_id: str,
        recommendation_id: str,
    ) -> GivenRecommendation:
        """Get a response that was given.

        Returns what a recommendation call answered, and why: the items with their scores, the
        models, the scenario and the rules. Responses can be read a few seconds after they were
        given, and are kept for 30 days (`DECISION_LOG_DAYS`). Attributes of items are not kept.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            recommendation_id: The ID of the response. It starts with `rec_`.
        """
        answer: GivenRecommendation = self._call(
            "get_recommendation",
            {
                "project_id": project_id,
                "recommendation_id": recommendation_id,
            },
        )
        return answer

    def get_outcomes(
        self,
        *,
        project_id: str,
        scenario: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
    ) -> Outcomes:
        """Get what followed the recommendations.

        Returns, by day, scenario, model and variant, how many responses were followed by events on
        the recommended items; and beside it, per visit, what users did with and without a
        recommendation. An event belongs to a response that recommended the item to the user at most
        `attribution_hours` of the project before: to the one that its `recommendation_id` names, or
        else to the last one. A response without a user belongs to everybody. Events are attributed
        every few minutes, late ones included. Without `since_ts`, returns the last 30 days.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            scenario: The name of the scenario, unique in the project, such as `home` or
                `product page`.
            since_ts: Return only days that end after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only days that start before this time, in milliseconds since the
                Unix epoch (UTC).
        """
        answer: Outcomes = self._call(
            "get_outcomes",
            {
                "project_id": project_id,
                "scenario": scenario,
                "since_ts": since_ts,
                "until_ts": until_ts,
            },
        )
        return answer


class AsyncOperations:
    """The methods of `AsyncTastegraph`."""

    async def _call(self, name: str, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _iterate(self, name: str, key: str, request: dict[str, Any]) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def create_user_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
    ) -> UserDataset:
        """Create a user dataset.

        Each project uses one user dataset. `num_shards` sets its capacity, at 100,000 records per
        shard. The account's plan caps the total number of shards of all user datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred.
        """
        answer: UserDataset = await self._call(
            "create_user_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    async def get_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset:
        """Get a user dataset.

        Returns the dataset's settings and its number of records.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
        """
        answer: UserDataset = await self._call(
            "get_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    async def list_user_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListUserDatasetsResponse:
        """List the account's user datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListUserDatasetsResponse = await self._call(
            "list_user_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_user_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[UserDataset]:
        """List the account's user datasets.

        Like `list_user_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_user_datasets",
            "user_datasets",
            {
                "page_size": page_size,
            },
        )

    async def update_user_dataset(
        self,
        *,
        user_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
    ) -> UserDataset:
        """Change the name, attribute schema or number of shards of a user dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A
        new attribute schema applies to records written from then on; existing records are not
        checked again.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. If absent, the schema
                stays as it is.
        """
        answer: UserDataset = await self._call(
            "update_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    async def delete_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset | None:
        """Delete a user dataset and its records.

        Returns the deleted dataset. From the next call on, its records cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
        """
        answer: UserDataset | None = await self._call(
            "delete_user_dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    async def create_item_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: ItemAttributeSchema | None | Unset = UNSET,
    ) -> ItemDataset:
        """Create an item dataset.

        Each project recommends the items of one item dataset. `num_shards` sets its capacity, at
        100,000 records per shard. The account's plan caps the total number of shards of all item
        datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. `TEXT` attributes are
                free text: a training of G1 uses their words, and the direction of `VECTOR(n)`
                attributes (embeddings), if that improves the recommendation of new items. Vectors
                cannot be used in filters and boosts, or returned with recommendations.
        """
        answer: ItemDataset = await self._call(
            "create_item_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    async def get_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset:
        """Get an item dataset.

        Returns the dataset's settings and its number of records.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
        """
        answer: ItemDataset = await self._call(
            "get_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
        )
        return answer

    async def list_item_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListItemDatasetsResponse:
        """List the account's item datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListItemDatasetsResponse = await self._call(
            "list_item_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_item_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[ItemDataset]:
        """List the account's item datasets.

        Like `list_item_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_item_datasets",
            "item_datasets",
            {
                "page_size": page_size,
            },
        )

    async def update_item_dataset(
        self,
        *,
        item_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: ItemAttributeSchema | None | Unset = UNSET,
    ) -> ItemDataset:
        """Change the name, attribute schema or number of shards of an item dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A
        new attribute schema applies to records written from then on; existing records are not
        checked again.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. The kind of an attribute that
                is not listed is inferred; if null, all kinds are inferred. `TEXT` attributes are
                free text: a training of G1 uses their words, and the direction of `VECTOR(n)`
                attributes (embeddings), if that improves the recommendation of new items. Vectors
                cannot be used in filters and boosts, or returned with recommendations. If absent,
                the schema stays as it is.
        """
        answer: ItemDataset = await self._call(
            "update_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
            },
        )
        return answer

    async def delete_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset | None:
        """Delete an item dataset and its records.

        Returns the deleted dataset. From the next call on, its records cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
        """
        answer: ItemDataset | None = await self._call(
            "delete_item_dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
        )
        return answer

    async def create_event_dataset(
        self,
        *,
        name: str,
        num_shards: int,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
    ) -> EventDataset:
        """Create an event dataset.

        Events of all types go into one dataset, which several projects can share. `num_shards` sets
        its capacity, at 100,000 records per shard. The account's plan caps the total number of
        shards of all event datasets.

        Args:
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. It is stored and returned,
                but has no effect: training does not read the attributes of events.
            retention_days: How many days events are kept. Workers delete events whose `ts` is
                older than that, usually within an hour. Older events can still be written, and are
                deleted in the same way. Null: events are kept until you delete them.
        """
        answer: EventDataset = await self._call(
            "create_event_dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
                "retention_days": keep_none(retention_days),
            },
        )
        return answer

    async def get_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset:
        """Get an event dataset.

        Returns the dataset's settings and its number of events.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
        """
        answer: EventDataset = await self._call(
            "get_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
        )
        return answer

    async def list_event_datasets(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListEventDatasetsResponse:
        """List the account's event datasets.

        Returns the datasets, newest first. Without `page_size`, the response contains all of them,
        up to 10,000 and about 4 MiB.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListEventDatasetsResponse = await self._call(
            "list_event_datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_event_datasets(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[EventDataset]:
        """List the account's event datasets.

        Like `list_event_datasets`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_event_datasets",
            "event_datasets",
            {
                "page_size": page_size,
            },
        )

    async def update_event_dataset(
        self,
        *,
        event_dataset_id: str,
        name: str | None = None,
        num_shards: int | None = None,
        attribute_schema: AttributeSchema | None | Unset = UNSET,
        retention_days: int | None | Unset = UNSET,
    ) -> EventDataset:
        """Change the name, attribute schema, number of shards or retention of an event dataset.

        Fields that you leave out keep their value; `attribute_schema: null` removes the schema, and
        `retention_days: null` the retention. A retention deletes events, so a caller who sets one
        must be allowed to call `/delete-dataset-events-before-ts`, too.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            name: The display name of the dataset.
            num_shards: The number of shards. The dataset can hold up to 100,000 records per
                shard. You can raise the number later, but not lower it.
            attribute_schema: The kind of each attribute, by name. It is stored and returned,
                but has no effect: training does not read the attributes of events. If absent, the
                schema stays as it is.
            retention_days: How many days events are kept. Workers delete events whose `ts` is
                older than that, usually within an hour. Older events can still be written, and are
                deleted in the same way. Null: events are kept until you delete them. If absent, it
                stays as it is. A new value applies at once.
        """
        answer: EventDataset = await self._call(
            "update_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": keep_none(attribute_schema),
                "retention_days": keep_none(retention_days),
            },
        )
        return answer

    async def delete_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset | None:
        """Delete an event dataset and its records.

        Returns the deleted dataset. From the next call on, its events cannot be read or used; a
        worker removes them from the database later. You cannot delete a dataset that a project
        uses.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
        """
        answer: EventDataset | None = await self._call(
            "delete_event_dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
        )
        return answer

    async def upsert_dataset_users(
        self,
        *,
        user_dataset_id: str,
        users: Sequence[UserRecord],
        mode: UpsertMode | None = None,
    ) -> UpsertDatasetUsersResponse:
        """Insert or update up to 1,000 users.

        Each record succeeds or fails independently. All records that succeed are written in one
        transaction. The records in `succeed_ids` are durable and visible to the next call. It is
        safe to send a record again. If a call contains several records with the same ID, the last
        one wins; with `MERGE`, they are merged in order.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            users: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
        """
        answer: UpsertDatasetUsersResponse = await self._call(
            "upsert_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "users": users,
                "mode": mode,
            },
        )
        return answer

    async def upsert_dataset_items(
        self,
        *,
        item_dataset_id: str,
        items: Sequence[ItemRecord],
        mode: UpsertMode | None = None,
    ) -> UpsertDatasetItemsResponse:
        """Insert or update up to 1,000 items.

        Each record succeeds or fails independently. All records that succeed are written in one
        transaction. The records in `succeed_ids` are durable and visible to the next call: for
        example, filters use a changed price at once. It is safe to send a record again.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            items: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
        """
        answer: UpsertDatasetItemsResponse = await self._call(
            "upsert_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "items": items,
                "mode": mode,
            },
        )
        return answer

    async def upsert_dataset_events(
        self,
        *,
        event_dataset_id: str,
        events: Sequence[EventRecord | EventChange],
        mode: UpsertMode | None = None,
        allow_old_ts: bool | None = None,
    ) -> UpsertDatasetEventsResponse:
        """Insert or update up to 1,000 events.

        Each event succeeds or fails independently. All events that succeed are written in one
        transaction. The events in `succeed_ids` are durable, and the user's next recommendations
        take them into account. It is safe to send an event again, because `event_id` identifies it.
        If your source has no unique ID, build one from `user_id`, `item_id`, `ts` and `event_type`.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            events: The records to write. Each one is checked, and succeeds or fails,
                independently.
            mode: How to write a record that already exists. `REPLACE` replaces the whole
                record: fields and attributes that you leave out are removed. `MERGE` changes only
                what you send: it sets the attributes that you send, removes those that you send as
                null, and keeps the rest.
            allow_old_ts: Whether to write events of January 1970. Otherwise, if the newest `ts`
                of a call looks like seconds, its events fail with `TIME_UNIT`.
        """
        answer: UpsertDatasetEventsResponse = await self._call(
            "upsert_dataset_events",
            {
                "event_dataset_id": event_dataset_id,
                "events": events,
                "mode": mode,
                "allow_old_ts": allow_old_ts,
            },
        )
        return answer

    async def get_dataset_user(
        self,
        *,
        user_dataset_id: str,
        user_id: str,
    ) -> StoredUser:
        """Get a user.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: StoredUser = await self._call(
            "get_dataset_user",
            {
                "user_dataset_id": user_dataset_id,
                "user_id": user_id,
            },
        )
        return answer

    async def get_dataset_item(
        self,
        *,
        item_dataset_id: str,
        item_id: str,
    ) -> StoredItem:
        """Get an item.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            item_id: Your ID for the item. Control characters are not allowed.
        """
        answer: StoredItem = await self._call(
            "get_dataset_item",
            {
                "item_dataset_id": item_dataset_id,
                "item_id": item_id,
            },
        )
        return answer

    async def get_dataset_event(
        self,
        *,
        event_dataset_id: str,
        event_id: str,
    ) -> StoredEvent:
        """Get an event.

        Returns the record as it is stored. You can change it and send it back in an upsert.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            event_id: Your ID for the event, unique in the dataset. Control characters are not
                allowed.
        """
        answer: StoredEvent = await self._call(
            "get_dataset_event",
            {
                "event_dataset_id": event_dataset_id,
                "event_id": event_id,
            },
        )
        return answer

    async def list_dataset_users(
        self,
        *,
        user_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetUsersResponse:
        """List the users of a dataset, sorted by ID.

        Returns the records in byte order of their IDs (UTF-8). A record that is written while you
        read the pages appears if its ID belongs on a later page.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetUsersResponse = await self._call(
            "list_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_users(
        self,
        *,
        user_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[StoredUser]:
        """List the users of a dataset, sorted by ID.

        Like `list_dataset_users`, but iterates over the entries of all pages.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_users",
            "users",
            {
                "user_dataset_id": user_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
            },
        )

    async def list_dataset_items(
        self,
        *,
        item_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetItemsResponse:
        """List the items of a dataset, sorted by ID.

        Returns the records in byte order of their IDs (UTF-8). A record that is written while you
        read the pages appears if its ID belongs on a later page.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetItemsResponse = await self._call(
            "list_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_items(
        self,
        *,
        item_dataset_id: str,
        id_prefix: str | None = None,
        sample: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[StoredItem]:
        """List the items of a dataset, sorted by ID.

        Like `list_dataset_items`, but iterates over the entries of all pages.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            id_prefix: Return only records whose ID starts with this text. The comparison is
                case-sensitive.
            sample: Return this many records, picked at random, instead of a page. The other
                fields of a list are not allowed with it.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_items",
            "items",
            {
                "item_dataset_id": item_dataset_id,
                "id_prefix": id_prefix,
                "sample": sample,
                "page_size": page_size,
            },
        )

    async def list_dataset_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
        event_type: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListDatasetEventsResponse:
        """List a user's events, newest first.

        Returns the events with `since_ts` <= `ts` < `until_ts`. Events with the same `ts` are
        ordered by `item_id`, `event_type` and `event_id`. An event that is written while you read
        the pages appears if it belongs on a later page.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
            event_type: Return only events of this type.
            since_ts: Return only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only events before this time, in milliseconds since the Unix epoch
                (UTC).
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListDatasetEventsResponse = await self._call(
            "list_dataset_events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
                "event_type": event_type,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_dataset_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
        event_type: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[StoredEvent]:
        """List a user's events, newest first.

        Like `list_dataset_events`, but iterates over the entries of all pages.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
            event_type: Return only events of this type.
            since_ts: Return only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only events before this time, in milliseconds since the Unix epoch
                (UTC).
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_dataset_events",
            "events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
                "event_type": event_type,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "page_size": page_size,
            },
        )

    async def find_items(
        self,
        *,
        project_id: str,
        item_ids: Sequence[str] | None = None,
        text: str | None = None,
        text_attributes: Sequence[str] | None = None,
        filter_query: str | None | Unset = UNSET,
        attributes: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> FoundItems:
        """Find items of a project by ID, by words or by a filter, and count them.

        Items must satisfy everything that you pass: be one of `item_ids`, contain the words of
        `text` and match `filter_query`. Returns them as they are now, and how many there are in the
        whole dataset. Serving processes answer it from the copy of the items that they keep in
        memory for filters; until it is loaded, a large dataset is read as far as the time of the
        call allows, and `is_complete` is false. It needs no deployed model, and does not count
        toward `qps`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            item_ids: Look at these items only. Those without a record are left out; the others
                are returned in this order.
            text: Only items that contain every word of this text, in their ID or in one of
                `text_attributes`. A word may be part of a longer one; upper and lower case are the
                same.
            text_attributes: The item attributes to search for `text`, such as the
                `title_attribute` of the project.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            attributes: The item attributes to return.
            limit: The maximum number of items to return; 0 only counts. Defaults to 20, or to
                the number of `item_ids`.
        """
        answer: FoundItems = await self._call(
            "find_items",
            {
                "project_id": project_id,
                "item_ids": item_ids,
                "text": text,
                "text_attributes": text_attributes,
                "filter_query": keep_none(filter_query),
                "attributes": attributes,
                "limit": limit,
            },
        )
        return answer

    async def delete_dataset_users(
        self,
        *,
        user_dataset_id: str,
        ids: Sequence[str],
    ) -> DeleteDatasetUsersResponse:
        """Delete up to 1,000 users by ID.

        The users' events stay. Delete them with `/delete-dataset-user-events`.

        Args:
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            ids: The IDs of the records to delete.
        """
        answer: DeleteDatasetUsersResponse = await self._call(
            "delete_dataset_users",
            {
                "user_dataset_id": user_dataset_id,
                "ids": ids,
            },
        )
        return answer

    async def delete_dataset_items(
        self,
        *,
        item_dataset_id: str,
        ids: Sequence[str],
    ) -> DeleteDatasetItemsResponse:
        """Delete up to 1,000 items by ID.

        From the next call on, deleted items are no longer recommended. The events with these items
        stay, and training still learns from them.

        Args:
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            ids: The IDs of the records to delete.
        """
        answer: DeleteDatasetItemsResponse = await self._call(
            "delete_dataset_items",
            {
                "item_dataset_id": item_dataset_id,
                "ids": ids,
            },
        )
        return answer

    async def delete_dataset_user_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
    ) -> DeleteDatasetUserEventsResponse:
        """Delete all events of a user.

        Returns when all of the user's events are deleted. If the call is interrupted, repeat it.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: DeleteDatasetUserEventsResponse = await self._call(
            "delete_dataset_user_events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
            },
        )
        return answer

    async def delete_dataset_events_before_ts(
        self,
        *,
        event_dataset_id: str,
        ts: int,
        start_ts: int | None = None,
    ) -> DeleteDatasetEventsBeforeTsResponse:
        """Delete events before a time.

        Deletes events with `start_ts` <= time < `ts`, and returns when they are deleted. To delete
        old events continuously, set `retention_days` of the dataset instead. If the call is
        interrupted, repeat it.

        Args:
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            ts: Delete events before this time, in milliseconds since the Unix epoch (UTC).
            start_ts: Keep events before this time, in milliseconds since the Unix epoch (UTC).
        """
        answer: DeleteDatasetEventsBeforeTsResponse = await self._call(
            "delete_dataset_events_before_ts",
            {
                "event_dataset_id": event_dataset_id,
                "ts": ts,
                "start_ts": start_ts,
            },
        )
        return answer

    async def erase_user(
        self,
        *,
        user_id: str,
    ) -> Erasure:
        """Erase a user from all datasets, results and training snapshots of the account.

        Deletes the user's records and events in every dataset, then every training snapshot and
        every result that contains the user's ID. The call returns when the records are deleted. If
        that takes more than 10 seconds, the call returns before all of them are deleted, and
        `records_deleted_ts` is null. A worker does the rest; poll `/get-erasure` until `status` is
        `DONE`. A model keeps serving without its snapshot, because its file contains no users.
        Querying and clustering jobs need a newly trained model. The erasure waits for jobs that
        were running when it started, because they may have already read the data. If you call it
        again for the same user while the erasure is running, it returns the same `erasure_id`, and
        the erasure starts over. Events and records that arrive after the erasure are new data and
        are kept, so stop sending them first.

        Args:
            user_id: Your ID for the user. Control characters are not allowed.
        """
        answer: Erasure = await self._call(
            "erase_user",
            {
                "user_id": user_id,
            },
        )
        return answer

    async def get_erasure(
        self,
        *,
        erasure_id: str,
    ) -> Erasure:
        """Get the status of an erasure, what it removed, and what remains.

        Returns the receipt of `/erase-user`. It is kept for as long as the account exists, without
        the ID of the user, so store the `erasure_id` with the erasure request that you received.

        Args:
            erasure_id: The ID of the erasure. It starts with `ers_`.
        """
        answer: Erasure = await self._call(
            "get_erasure",
            {
                "erasure_id": erasure_id,
            },
        )
        return answer

    async def create_project(
        self,
        *,
        name: str,
        project_type: ProjectType,
        user_dataset_id: str,
        item_dataset_id: str,
        event_dataset_id: str,
        target_event_type: str,
        negative_event_types: Sequence[str] | None = None,
        attribution_hours: int | None = None,
        event_value_max: float | None | Unset = UNSET,
        title_attribute: str | None | Unset = UNSET,
        picture_attribute: str | None | Unset = UNSET,
    ) -> Project:
        """Create a project from three datasets and a target event type.

        The `serving_uri` never changes, and serves recommendations once a model is deployed. You
        cannot change the datasets or the target event type later; create another project with the
        same datasets instead.

        Args:
            name: The display name of the project.
            project_type: What the project does.
            user_dataset_id: The ID of the user dataset. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset. It starts with `eds_`.
            target_event_type: The event type that the project predicts, such as `buy`.
            negative_event_types: The event types by which users reject an item, such as
                `dislike`. The target event type cannot be one of them. If the newest event of a
                user with an item is negative, the item is not recommended to this user, and it
                lowers the scores of similar items if the data shows that this helps. A change takes
                effect with the next training job.
            attribution_hours: How long after a response an event counts as its result, in
                hours.
            event_value_max: The most that the `event_value` of one event counts in
                `/get-outcomes` and in experiments, so that a single event cannot decide them. Null
                for no limit. Training has limits of its own.
            title_attribute: The item attribute whose value is the title of an item, such as
                `title`. The console and the command line show it instead of the ID. Null if the
                project names none.
            picture_attribute: The item attribute whose value is the address (`https:`) of a
                picture of the item, such as `image_url`. The console shows the picture. Null if the
                project names none.
        """
        answer: Project = await self._call(
            "create_project",
            {
                "name": name,
                "project_type": project_type,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "target_event_type": target_event_type,
                "negative_event_types": negative_event_types,
                "attribution_hours": attribution_hours,
                "event_value_max": keep_none(event_value_max),
                "title_attribute": keep_none(title_attribute),
                "picture_attribute": keep_none(picture_attribute),
            },
        )
        return answer

    async def get_project(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Get a project.

        Returns the project with its current deployment.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project = await self._call(
            "get_project",
            {
                "project_id": project_id,
            },
        )
        return answer

    async def list_projects(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListProjectsResponse:
        """List the account's projects.

        Returns the projects, newest first. Without `page_size`, the response contains all of them,
        up to 10,000.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListProjectsResponse = await self._call(
            "list_projects",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_projects(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[Project]:
        """List the account's projects.

        Like `list_projects`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_projects",
            "projects",
            {
                "page_size": page_size,
            },
        )

    async def update_project(
        self,
        *,
        project_id: str,
        name: str | None = None,
        negative_event_types: Sequence[str] | None = None,
        attribution_hours: int | None = None,
        event_value_max: float | None | Unset = UNSET,
        title_attribute: str | None | Unset = UNSET,
        picture_attribute: str | None | Unset = UNSET,
        default: bool | None = None,
    ) -> Project:
        """Rename a project, change how it treats events and shows items, or make it the default
        project.

        You can send the whole project as you read it, but only `name`, `negative_event_types`,
        `title_attribute`, `picture_attribute` and `default` may differ.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the project.
            negative_event_types: The event types by which users reject an item, such as
                `dislike`. The target event type cannot be one of them. If the newest event of a
                user with an item is negative, the item is not recommended to this user, and it
                lowers the scores of similar items if the data shows that this helps. A change takes
                effect with the next training job.
            attribution_hours: How long after a response an event counts as its result, in
                hours.
            event_value_max: The most that the `event_value` of one event counts in
                `/get-outcomes` and in experiments, so that a single event cannot decide them. Null
                for no limit. Training has limits of its own. If absent, it stays as it is.
            title_attribute: The item attribute whose value is the title of an item, such as
                `title`. The console and the command line show it instead of the ID. Null if the
                project names none. If absent, it stays as it is.
            picture_attribute: The item attribute whose value is the address (`https:`) of a
                picture of the item, such as `image_url`. The console shows the picture. Null if the
                project names none. If absent, it stays as it is.
            default: Set to true to make this the default project of the account, replacing the
                previous one. Until you set one, the default is the first project that was deployed.
                It stays the default while it is shut down.
        """
        answer: Project = await self._call(
            "update_project",
            {
                "project_id": project_id,
                "name": name,
                "negative_event_types": negative_event_types,
                "attribution_hours": attribution_hours,
                "event_value_max": keep_none(event_value_max),
                "title_attribute": keep_none(title_attribute),
                "picture_attribute": keep_none(picture_attribute),
                "default": default,
            },
        )
        return answer

    async def delete_project(
        self,
        *,
        project_id: str,
    ) -> Project | None:
        """Delete a project and its algorithms, jobs, models and deployment.

        Returns the deleted project. Its datasets stay. Recommendations stop when the call returns;
        the files of models and results are removed in the background.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project | None = await self._call(
            "delete_project",
            {
                "project_id": project_id,
            },
        )
        return answer

    async def create_algorithm(
        self,
        *,
        project_id: str,
        name: str,
        algorithm_type: AlgorithmType,
        algorithm_parameters: AlgorithmParametersInput | None = None,
    ) -> Algorithm:
        """Create an algorithm in a project.

        An algorithm is a configuration for training jobs. With `{}` as `algorithm_parameters`, each
        training job chooses all parameters for your data. Parameters that you set are fixed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the algorithm.
            algorithm_type: The algorithm that trains the model. `G1`: Learns from the events of
                all users which items go together and which follow each other, and recommends what
                fits each user's own events. The default choice. `POPULAR`: Recommends popular
                items, with more weight on recent events, among all users or among users with the
                same value of a user attribute. About 100 target events are enough.
            algorithm_parameters: The parameters of the algorithm; each algorithm accepts only
                its own. Training chooses every parameter that is not set; with an empty object
                (`{}`), or without it, it chooses all of them.
        """
        answer: Algorithm = await self._call(
            "create_algorithm",
            {
                "project_id": project_id,
                "name": name,
                "algorithm_type": algorithm_type,
                "algorithm_parameters": algorithm_parameters,
            },
        )
        return answer

    async def get_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm:
        """Get an algorithm.

        Returns the configuration that new training jobs use.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
        """
        answer: Algorithm = await self._call(
            "get_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    async def list_algorithms(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListAlgorithmsResponse:
        """List a project's algorithms.

        Returns the algorithms, newest first. Without `page_size`, the response contains all of
        them, up to 10,000.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListAlgorithmsResponse = await self._call(
            "list_algorithms",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_algorithms(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> AsyncIterator[Algorithm]:
        """List a project's algorithms.

        Like `list_algorithms`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_algorithms",
            "algorithms",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    async def update_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
        name: str | None = None,
        algorithm_parameters: AlgorithmParametersInput | None = None,
    ) -> Algorithm:
        """Change the name or parameters of an algorithm.

        Training jobs that were already submitted keep their parameters.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
            name: The display name of the algorithm.
            algorithm_parameters: The parameters of the algorithm; each algorithm accepts only
                its own. Training chooses every parameter that is not set; with an empty object
                (`{}`), or without it, it chooses all of them.
        """
        answer: Algorithm = await self._call(
            "update_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
                "name": name,
                "algorithm_parameters": algorithm_parameters,
            },
        )
        return answer

    async def delete_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm | None:
        """Delete an algorithm.

        Returns the deleted algorithm. Its models and the jobs that were already submitted stay.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
        """
        answer: Algorithm | None = await self._call(
            "delete_algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    async def check_training(
        self,
        *,
        project_id: str,
        algorithm_id: str | None = None,
    ) -> TrainingCheck:
        """Check the data before training, and estimate the time and memory that training needs.

        Reads the current data and changes nothing. With `algorithm_id`, it checks the requirements
        and the parameters of that algorithm; without it, those of `G1`. For large datasets, it
        estimates the counts from a sample, and `sampled` is true. Each finding says what to do
        next.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`. Defaults to `G1`
                without parameters.
        """
        answer: TrainingCheck = await self._call(
            "check_training",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
        )
        return answer

    async def submit_training_job(
        self,
        *,
        project_id: str,
        algorithm_id: str,
        name: str,
        holdout_hours: int | None = None,
    ) -> SubmitTrainingJobResponse:
        """Train a model.

        When the job succeeds, `/list-models` lists the model. Training reads the data as of one
        moment. Recommendations also take later events of the user into account. If the plan of the
        account caps training hours, only successful jobs use them up.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            algorithm_id: The ID of the algorithm. It starts with `alg_`.
            name: The display name of the job and of the model it trains.
            holdout_hours: Do not train on the events of the last hours, so that a guarded
                deployment right after the training has newer events to compare on. Recommendations
                still take them into account. If absent, all events are used.
        """
        answer: SubmitTrainingJobResponse = await self._call(
            "submit_training_job",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
                "name": name,
                "holdout_hours": holdout_hours,
            },
        )
        return answer

    async def submit_deployment_job(
        self,
        *,
        project_id: str,
        name: str,
        generator_model_id: str,
        ranker_model_id: str | None | Unset = UNSET,
        qps: int | None = None,
        guard: GuardInput | None = None,
    ) -> SubmitDeploymentJobResponse:
        """Deploy one or two models to serve the recommendation call.

        The model `generator_model_id` generates the recommendations; `ranker_model_id`, if present,
        re-ranks them. Every serving process loads and tests the models before the job switches to
        them, so no call fails because a deployment is replaced. If the job fails, the previous
        deployment keeps serving. With a `guard`, the job first compares the models with those that
        are deployed, and ends with `deployed: false` if they are worse.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the job.
            generator_model_id: The ID of the model that generates the recommendations. It
                starts with `mdl_`.
            ranker_model_id: The ID of the model that re-ranks the recommendations. Null if
                there is none.
            qps: The number of recommendation calls allowed per second, across all processes. If
                absent, the current number stays; for a project without a deployment it is 1.
            guard: Refuses a candidate that is worse than the deployed models. Both predict the
                same target events: the newest ones, which neither was trained on. The candidate is
                refused if the lower end of the interval of its loss is above `max_loss`; of
                candidates that are not worse than that, at most 5% are refused.
        """
        answer: SubmitDeploymentJobResponse = await self._call(
            "submit_deployment_job",
            {
                "project_id": project_id,
                "name": name,
                "generator_model_id": generator_model_id,
                "ranker_model_id": keep_none(ranker_model_id),
                "qps": qps,
                "guard": guard,
            },
        )
        return answer

    async def submit_querying_job(
        self,
        *,
        name: str,
        project_id: str,
        model_id: str,
        query_type: Literal["user_list"] | Literal["user_distribution"],
        queries: Sequence[UserListQueryInput | UserDistributionQueryInput],
        table_format: TableFormat | None | Unset = UNSET,
    ) -> SubmitQueryingJobResponse:
        """Query users by their affinity for item attribute values.

        A user's affinity for a value of an item attribute, called `usage` in the results, is a
        number from 0 to 1. It is the share of the user's target events whose items have that value,
        each event weighted by its `event_value`, as of the training of the model. The fewer events
        a user has, the more the affinity follows the model's prediction. Bounds are inclusive, and
        the conditions of a query are combined with AND. The result of a `user_list` is NDJSON: one
        line per query, `{"query":0,"conditions":[…],"user_count":2}`, each followed by one line per
        matching user, `{"user_id":"u7","usage":[0.62]}`, with the affinity for each condition. The
        result of a `user_distribution` is JSON:
        `{"distributions":[{"attribute":"genres","value":"Drama","bins":20,"edges":[0,0.05,…],"counts":[31,…],"user_count":900,"chart":"<svg
        …"}]}`, with the chart of each query as SVG in the file, and in a file of its own
        (`chart_urls`). With `table_format`, a `user_list` has one row per user and condition:
        `query` (from 0), `user_id`, `attribute`, `value` and `usage`. A `user_distribution` has one
        row per bin: `query`, `attribute`, `value`, `low`, `high` and `users`. If no item had the
        attribute when the model was trained, this call fails. If no item had the value, the query
        returns 0 users, and a `message` in the file and in the job result names the nearest value.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            table_format: Writes the result as a table too, for spreadsheets, data frames and
                warehouses. `table_url` in the job result is its URL.
            query_type: Lists the users who match each query.
            queries: The queries. The result contains them in the same order.
        """
        answer: SubmitQueryingJobResponse = await self._call(
            "submit_querying_job",
            {
                "name": name,
                "project_id": project_id,
                "model_id": model_id,
                "table_format": keep_none(table_format),
                "query_type": query_type,
                "queries": queries,
            },
        )
        return answer

    async def submit_clustering_job(
        self,
        *,
        name: str,
        project_id: str,
        model_id: str,
        cluster_type: ClusterType,
        table_format: TableFormat | None = None,
        parameters: ClusteringParametersInput | None = None,
    ) -> SubmitClusteringJobResponse:
        """Cluster users by taste.

        Clusters users by their taste at the time the model was trained. The job chooses the largest
        number of clusters for which clustering two random halves of the users gives similar
        clusters. Clusters smaller than `min_user_num` are dropped, and their users are not assigned
        to a cluster. The result is NDJSON: one summary line,
        `{"clusters":2,"users":900,"unassigned":3}`; one line per cluster, largest first,
        `{"cluster_id":4,"size":610,"cohesion":0.71,"items":[{"item_id":"i1","share":0.4,"share_of_all":0.1,"lift":4}],"attributes":[{"attribute":"genres","value":"Drama","share":0.5,"share_of_all":0.2,"lift":2.5}]}`,
        with what distinguishes it; and one line per user, `{"user_id":"u7","cluster_id":4}`, where
        `cluster_id` is null for a user who is not assigned to a cluster. The chart is a map of the
        clusters, as SVG; `map_url` has the same map as JSON. With `table_format`, the table has one
        row per user: `user_id` and `cluster_id`. A cluster keeps its ID from one clustering of the
        project to the next, even with a new model, if at least 30% of the users in either cluster
        are in both. An ID is never reused for another cluster.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            cluster_type: What to cluster.
            table_format: Writes the result as a table too, for spreadsheets, data frames and
                warehouses. `table_url` in the job result is its URL.
            parameters: The parameters of the clustering. All of them are optional.
        """
        answer: SubmitClusteringJobResponse = await self._call(
            "submit_clustering_job",
            {
                "name": name,
                "project_id": project_id,
                "model_id": model_id,
                "cluster_type": cluster_type,
                "table_format": table_format,
                "parameters": parameters,
            },
        )
        return answer

    async def submit_export_job(
        self,
        *,
        name: str,
        project_id: str,
        format: ExportFormat,
        user_dataset_id: str | None = None,
        item_dataset_id: str | None = None,
        event_dataset_id: str | None = None,
        experiment_id: str | None = None,
        since_ts: int | None = None,
    ) -> SubmitExportJobResponse:
        """Export the records of a dataset to files.

        Pass exactly one dataset or experiment of the project. `since_ts` applies only to events.
        Each record that exists during the whole export is in the files exactly once, in byte order
        of its ID. The export is not a snapshot: if you write or delete a record meanwhile, the
        files contain it as it was before or after the change, or not at all. A new file starts
        after about 256 MiB; `download_urls` lists all files. NDJSON has one record per line, as the
        get operations return it. CSV and Parquet have one column per field, one per attribute of
        the attribute schema, and the column `attributes` with all attributes as JSON. `tastegraph
        import` reads each of these formats without loss. The exposures of an experiment are one row
        per user: `experiment_id`, `variation_id` (the number of the variant, starting at 0),
        `variation_name`, `user_id` and `timestamp` (of the first response), as GrowthBook and
        similar tools read them.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_dataset_id: The ID of the user dataset to export. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset to export. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset to export. It starts with `eds_`.
            experiment_id: The ID of the experiment whose exposures to export, instead of a
                dataset. It starts with `exp_`.
            format: The format of the files.
            since_ts: Export only events at or after this time, in milliseconds since the Unix
                epoch (UTC).
        """
        answer: SubmitExportJobResponse = await self._call(
            "submit_export_job",
            {
                "name": name,
                "project_id": project_id,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "experiment_id": experiment_id,
                "format": format,
                "since_ts": since_ts,
            },
        )
        return answer

    async def submit_import_job(
        self,
        *,
        name: str,
        project_id: str,
        path: str,
        user_dataset_id: str | None = None,
        item_dataset_id: str | None = None,
        event_dataset_id: str | None = None,
        columns: ImportColumns | None = None,
        event_type: str | None = None,
        allow_old_ts: bool | None = None,
    ) -> SubmitImportJobResponse:
        """Import files from the object store into a dataset.

        Pass exactly one dataset of the project. The files may be CSV (also with tabs or semicolons,
        with a header), NDJSON or Parquet, and plain or gzip. The job reads them in byte order of
        their names, and writes their records as the upsert operations do, with the same checks.
        Columns become fields and attributes as they do in `tastegraph import`: by their names, and
        their types by the first 1,000 rows of each file. A rejected record does not stop the job.
        `record_count` in the result is the number of records that were written and `rejected_count`
        of those that were rejected; `download_url` has up to 10,000 of these as NDJSON:
        `{"file":"events/2026-01.csv","line":7,"code":"FIELD_INVALID","message":"ts must be an
        integer","record":{…}}`. Without a column for `event_id`, the ID is derived from user, item,
        time and type, so importing the same file again adds no event. If a worker stops or fails,
        the job starts again; records that are written already stay as they are. Files are not
        changed or removed.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_dataset_id: The ID of the user dataset to import into. It starts with `uds_`.
            item_dataset_id: The ID of the item dataset to import into. It starts with `ids_`.
            event_dataset_id: The ID of the event dataset to import into. It starts with `eds_`.
            path: A file below the folder `imports/<account_id>/` of the service's object store,
                such as `events/2026-01.parquet`, or a folder that ends with `/`: all files in it.
                Lower-case letters, digits, `_` and `-`.
            columns: Which column becomes which field or attribute, if the name of the column
                does not say it: `{"item_id": "sku"}`.
            event_type: The type of all events, if no column has it.
            allow_old_ts: Whether to write events of January 1970. Otherwise, if the newest `ts`
                of a call looks like seconds, its events fail with `TIME_UNIT`.
        """
        answer: SubmitImportJobResponse = await self._call(
            "submit_import_job",
            {
                "name": name,
                "project_id": project_id,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "path": path,
                "columns": columns,
                "event_type": event_type,
                "allow_old_ts": allow_old_ts,
            },
        )
        return answer

    async def submit_recommending_job(
        self,
        *,
        name: str,
        project_id: str,
        format: RecommendationFormat,
        user_ids: Sequence[str] | None = None,
        scenario: str | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
    ) -> SubmitRecommendingJobResponse:
        """Recommend items to all users, or to a list of users.

        Recommends items to each user as `/recommend-items-to-user` does, with the same fields, and
        writes the recommendations to files. Each user is in the files exactly once, in byte order
        of `user_id`. The job does not count toward `qps`. The job uses the models that are deployed
        when it starts, even if you deploy others before it ends. The recommendations for a user
        reflect the data at the time they are computed. A file has at least 50,000 users, except for
        the last one; `download_urls` lists all files. NDJSON has one line per user, such as
        `{"user_id":"u7","results":[{"item":{"item_id":"i1","title":"Emma"}}],"shortfall":null}`,
        with the `results` and `shortfall` of the recommendation call. CSV and Parquet have one row
        per recommended item, with the columns `user_id`, `position` (from 1), `item_id` and one per
        requested attribute; a user without recommended items has no row. If a worker stops or
        fails, the job continues after the last complete file.

        Args:
            name: The display name of the job.
            project_id: The ID of the project. It starts with `prj_`.
            user_ids: The users to recommend items to. If absent, all users: those with a
                record, and those with events.
            format: The format of the files.
            scenario: The name of a scenario of the project with the question `ITEMS_TO_USER`.
                The job takes its fields as they are when you submit it, unless the request has them
                itself.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
        """
        answer: SubmitRecommendingJobResponse = await self._call(
            "submit_recommending_job",
            {
                "name": name,
                "project_id": project_id,
                "user_ids": user_ids,
                "format": format,
                "scenario": scenario,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
            },
        )
        return answer

    async def get_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Get the status, progress and result of a job.

        Poll it until `job_status` is `SUCCEED`, `FAILED` or `CANCELED`. For a waiting job,
        `progress` says what it is waiting for. For a failed job, `error` says what to do. A job is
        removed 365 days after it has ended (`JOB_RETENTION_DAYS`). The call then returns
        `NOT_FOUND`, as after `/delete-job`. The job that trained a model stays as long as the
        model, the last job of a schedule as long as the schedule, and every job as long as its
        result.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job = await self._call(
            "get_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    async def list_jobs(
        self,
        *,
        project_id: str,
        job_type: JobType | None = None,
        job_status: JobStatus | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListJobsResponse:
        """List a project's jobs.

        Returns the jobs, newest first. With `job_type` or `job_status`, it returns only jobs of
        that type or with that status. Jobs that ended long ago are removed: see `/get-job`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_type: The type of the job.
            job_status: The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListJobsResponse = await self._call(
            "list_jobs",
            {
                "project_id": project_id,
                "job_type": job_type,
                "job_status": job_status,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_jobs(
        self,
        *,
        project_id: str,
        job_type: JobType | None = None,
        job_status: JobStatus | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[ListedJob]:
        """List a project's jobs.

        Like `list_jobs`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_type: The type of the job.
            job_status: The status of the job. `SUCCEED`, `FAILED` and `CANCELED` are final.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_jobs",
            "jobs",
            {
                "project_id": project_id,
                "job_type": job_type,
                "job_status": job_status,
                "page_size": page_size,
            },
        )

    async def cancel_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Cancel a job that has not ended.

        Cancels a waiting or running job at once. The worker stops working on it within seconds.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job = await self._call(
            "cancel_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    async def delete_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job | None:
        """Delete a job that has ended, and the files of its result.

        Returns the deleted job. The files of its result are removed within seconds, and their
        download URLs stop working. The model of a `TRAINING` job stays until you call
        `/delete-model`. The deployment of a `DEPLOYMENT` job keeps serving.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            job_id: The ID of the job. It starts with `job_`.
        """
        answer: Job | None = await self._call(
            "delete_job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
        )
        return answer

    async def get_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model:
        """Get a model.

        `training` describes how the model was trained: its parameters, its metrics on held-out
        events compared with recommending the most popular items, and what was left out. A model
        that is not in use is removed after 365 days (`MODEL_RETENTION_DAYS`). The call then returns
        `NOT_FOUND`, as after `/delete-model`. A model is in use while it is deployed, kept for a
        rollback, part of a running experiment, or named by a schedule or by a job that has not
        ended. The newest model of a project always stays.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
        """
        answer: Model = await self._call(
            "get_model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
        )
        return answer

    async def list_models(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListModelsResponse:
        """List a project's models.

        Returns the models of successful training jobs, newest first. Models that are old and not in
        use are removed: see `/get-model`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListModelsResponse = await self._call(
            "list_models",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_models(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> AsyncIterator[Model]:
        """List a project's models.

        Like `list_models`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_models",
            "models",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    async def update_model(
        self,
        *,
        project_id: str,
        model_id: str,
        name: str,
    ) -> Model:
        """Rename a model.

        Changes the display name. Nothing else about a model can be changed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
            name: The display name of the model.
        """
        answer: Model = await self._call(
            "update_model",
            {
                "project_id": project_id,
                "model_id": model_id,
                "name": name,
            },
        )
        return answer

    async def delete_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model | None:
        """Delete a model that is not deployed.

        Returns the deleted model. Shut down a deployed model with `/shutdown-deployment` first. The
        models that `/rollback-deployment` returns to are kept too, until others are deployed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            model_id: The ID of the model. It starts with `mdl_`.
        """
        answer: Model | None = await self._call(
            "delete_model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
        )
        return answer

    async def shutdown_deployment(
        self,
        *,
        project_id: str,
    ) -> ShutdownDeploymentResponse:
        """Shut down a project's deployment.

        From the next call on, the project's recommendation calls return `PROJECT_NOT_DEPLOYED`
        until a model is deployed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: ShutdownDeploymentResponse = await self._call(
            "shutdown_deployment",
            {
                "project_id": project_id,
            },
        )
        return answer

    async def rollback_deployment(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Return to the models that were deployed before.

        Every serving process loads the models and tries them, as for a deployment; the response
        comes after that, usually within a second, and has the project. The next call on every
        process uses them, and no call fails. If they cannot be served, the current ones stay. `qps`
        stays as it is. The last 10 deployments with other models are kept: a second rollback
        returns to the one before that. A deployment whose model was deleted is skipped; that of the
        next rollback cannot be deleted. Webhooks are told with `deployment.rolled_back`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
        """
        answer: Project = await self._call(
            "rollback_deployment",
            {
                "project_id": project_id,
            },
        )
        return answer

    async def create_scenario(
        self,
        *,
        project_id: str,
        name: str,
        question: Literal["ITEMS_TO_USER", "ITEMS_TO_ITEM", "RANKING", "POPULAR"],
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
    ) -> Scenario:
        """Create a scenario.

        A scenario is a named set of fields of a recommendation call. A call with this name in
        `scenario` uses these fields; fields of the call itself override them.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            question: The recommendation call that the scenario is for: `ITEMS_TO_USER` for
                `/recommend-items-to-user`, `ITEMS_TO_ITEM` for `/recommend-items-to-item`,
                `RANKING` for `/rank-items-for-user`, `POPULAR` for `/recommend-popular-items`.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
        """
        answer: Scenario = await self._call(
            "create_scenario",
            {
                "project_id": project_id,
                "name": name,
                "question": question,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "attributes": attributes,
                "explain": explain,
            },
        )
        return answer

    async def get_scenario(
        self,
        *,
        project_id: str,
        name: str,
        version: int | None = None,
    ) -> Scenario:
        """Get a scenario.

        Returns the current version, or one of the last 20.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            version: The version to return: the last 20 are kept. Defaults to the current one.
        """
        answer: Scenario = await self._call(
            "get_scenario",
            {
                "project_id": project_id,
                "name": name,
                "version": version,
            },
        )
        return answer

    async def list_scenarios(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListScenariosResponse:
        """List a project's scenarios.

        Returns the current version of each scenario, newest scenario first. A project has at most
        100.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListScenariosResponse = await self._call(
            "list_scenarios",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_scenarios(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> AsyncIterator[Scenario]:
        """List a project's scenarios.

        Like `list_scenarios`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_scenarios",
            "scenarios",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    async def update_scenario(
        self,
        *,
        project_id: str,
        name: str,
        version: int | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
    ) -> Scenario:
        """Replace the settings of a scenario.

        Creates a new version with exactly the fields that you send; fields that you leave out
        return to their defaults. The new version takes effect with the next call on every process.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
            version: The version that you have read. If it is not the current one, the update is
                refused.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
        """
        answer: Scenario = await self._call(
            "update_scenario",
            {
                "project_id": project_id,
                "name": name,
                "version": version,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "attributes": attributes,
                "explain": explain,
            },
        )
        return answer

    async def delete_scenario(
        self,
        *,
        project_id: str,
        name: str,
    ) -> Scenario | None:
        """Delete a scenario and its versions.

        Returns the deleted scenario. From the next call on, calls with its name fail with
        `NOT_FOUND`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The name of the scenario, unique in the project, such as `home` or `product
                page`.
        """
        answer: Scenario | None = await self._call(
            "delete_scenario",
            {
                "project_id": project_id,
                "name": name,
            },
        )
        return answer

    async def create_experiment(
        self,
        *,
        project_id: str,
        name: str,
        scenario: str,
        variants: Sequence[NewVariant],
        metric: Literal["CLICKED", "CONVERTED", "TARGET_EVENTS", "VALUE"] | None = None,
        window_hours: float | None = None,
    ) -> Experiment:
        """Compare models or settings on real users.

        Starts at once. Recommendation calls of the scenario with a `user_id` are assigned to a
        variant by a hash of the user and the experiment, so a user always gets the same one; calls
        that name a `model_id` are not part of it. Responses name their variant in `experiment`.
        While it runs, the models and the scenario cannot be deleted. A scenario has at most one
        running experiment, and an account 20. A project keeps its last 200 experiments. Figures
        need the decision log: they stop to change once the first answers are older than
        `DECISION_LOG_DAYS`.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the experiment.
            scenario: The name of the scenario whose calls are part of the experiment. `default`
                for calls without a scenario.
            variants: The variants. The first one is the control, which the others are compared
                with.
            metric: What decides, per user: `CLICKED` (the share of users with an event on a
                recommended item), `CONVERTED` (the share of users with a target event; the
                default), `TARGET_EVENTS` (target events per user) or `VALUE` (the sum of
                `event_value` of target events per user).
            window_hours: The time after the first response to a user in which events count. A
                user is measured once it has passed, so that every user has had the same time.
                Defaults to 24.
        """
        answer: Experiment = await self._call(
            "create_experiment",
            {
                "project_id": project_id,
                "name": name,
                "scenario": scenario,
                "variants": variants,
                "metric": metric,
                "window_hours": window_hours,
            },
        )
        return answer

    async def get_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
    ) -> ExperimentResults:
        """Get the results of an experiment.

        With figures per variant, intervals that you may look at as often as you like, a check of
        the shares, the verdict and the figures by day.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            experiment_id: The ID of the experiment. It starts with `exp_`.
        """
        answer: ExperimentResults = await self._call(
            "get_experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
            },
        )
        return answer

    async def list_experiments(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListExperimentsResponse:
        """List a project's experiments.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListExperimentsResponse = await self._call(
            "list_experiments",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_experiments(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> AsyncIterator[Experiment]:
        """List a project's experiments.

        Like `list_experiments`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_experiments",
            "experiments",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    async def stop_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
        promote: str | None = None,
    ) -> Experiment:
        """Stop an experiment, and keep a variant for all users.

        Applies to the next call. To promote a variant with a model, the caller must be allowed to
        call `/submit-deployment-job`, and for one with a scenario version, `/update-scenario`.
        Events that follow earlier responses still count.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            experiment_id: The ID of the experiment. It starts with `exp_`.
            promote: The name of the variant to keep for all users: its models are deployed, and
                its settings become a new version of the scenario. Without it, all users get what
                they got without the experiment.
        """
        answer: Experiment = await self._call(
            "stop_experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
                "promote": promote,
            },
        )
        return answer

    async def create_schedule(
        self,
        *,
        project_id: str,
        name: str,
        cron: str,
        what: ScheduledWorkInput,
        time_zone: str | None = None,
        when_running: Literal["SKIP", "QUEUE"] | None = None,
    ) -> Schedule:
        """Submit a job at certain times.

        Workers submit one job per run, however many workers there are. If no worker was running,
        the last run that is due is made up for once, and earlier ones count as missed. A run that
        is missed is in the log and in the metrics of the worker, in `last_missed`, and is sent to
        webhooks. A project has at most 50 schedules.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            name: The display name of the schedule and of its jobs.
            cron: When to run: a cron expression of five fields (minute, hour, day of the month,
                month, day of the week), such as `0 3 * * *` for every night at three.
            time_zone: The time zone of `cron`, as in the IANA database, such as
                `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs
                at the next one that exists; one that occurs twice runs the first time.
            what: What to run. With a `guard`, the training leaves out the events of the last 24
                hours, unless `request` has another `holdout_hours`.
            when_running: What to do if the job of the run before has not ended. `SKIP` (the
                default): this run is left out and counts as missed. `QUEUE`: its job is submitted
                as well.
        """
        answer: Schedule = await self._call(
            "create_schedule",
            {
                "project_id": project_id,
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "what": what,
                "when_running": when_running,
            },
        )
        return answer

    async def get_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
    ) -> Schedule:
        """Get a schedule.

        With its next run, its last one and the last one that was missed.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
        """
        answer: Schedule = await self._call(
            "get_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
            },
        )
        return answer

    async def list_schedules(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListSchedulesResponse:
        """List a project's schedules.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListSchedulesResponse = await self._call(
            "list_schedules",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_schedules(
        self,
        *,
        project_id: str,
        page_size: int | None = None,
    ) -> AsyncIterator[Schedule]:
        """List a project's schedules.

        Like `list_schedules`, but iterates over the entries of all pages.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_schedules",
            "schedules",
            {
                "project_id": project_id,
                "page_size": page_size,
            },
        )

    async def update_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
        name: str | None = None,
        cron: str | None = None,
        time_zone: str | None = None,
        what: ScheduledWorkInput | None = None,
        when_running: Literal["SKIP", "QUEUE"] | None = None,
        paused: bool | None = None,
        run_now: bool | None = None,
    ) -> Schedule:
        """Change, pause or resume a schedule.

        Fields that you leave out stay as they are. A job that is running goes on.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
            name: The display name of the schedule and of its jobs.
            cron: When to run: a cron expression of five fields (minute, hour, day of the month,
                month, day of the week), such as `0 3 * * *` for every night at three.
            time_zone: The time zone of `cron`, as in the IANA database, such as
                `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs
                at the next one that exists; one that occurs twice runs the first time.
            what: What to run. With a `guard`, the training leaves out the events of the last 24
                hours, unless `request` has another `holdout_hours`.
            when_running: What to do if the job of the run before has not ended. `SKIP` (the
                default): this run is left out and counts as missed. `QUEUE`: its job is submitted
                as well.
            paused: True pauses the schedule. False resumes it: runs during the pause are not
                made up for.
            run_now: True starts a run within a second or two, beside those of `cron`. Refused
                while the schedule is paused.
        """
        answer: Schedule = await self._call(
            "update_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "what": what,
                "when_running": when_running,
                "paused": paused,
                "run_now": run_now,
            },
        )
        return answer

    async def delete_schedule(
        self,
        *,
        project_id: str,
        schedule_id: str,
    ) -> Schedule | None:
        """Delete a schedule.

        Returns the deleted schedule. Its jobs stay, and a job that is running goes on.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            schedule_id: The ID of the schedule. It starts with `sch_`.
        """
        answer: Schedule | None = await self._call(
            "delete_schedule",
            {
                "project_id": project_id,
                "schedule_id": schedule_id,
            },
        )
        return answer

    async def create_webhook(
        self,
        *,
        url: str,
        events: Sequence[WebhookEventType],
    ) -> CreatedWebhook:
        """Have messages sent to a URL when something happens.

        Each message is a POST with a JSON body of `type`, `timestamp` and `data`, signed as
        [Standard Webhooks](https://www.standardwebhooks.com) has it: in the headers `webhook-id`,
        `webhook-timestamp` and `webhook-signature`. A response with a status of 2xx within 10
        seconds confirms it. Messages are delivered at least once, in any order: `webhook-id` tells
        repetitions. A message that is not confirmed is sent again for a day, with growing pauses. A
        webhook that failed for a whole day is disabled, and so is one that answers 410. Redirects
        are not followed. An account has at most 20 webhooks.

        Args:
            url: Where to send the messages, with `http://` or `https://`, without credentials
                and fragment. Unless the operator allows it, addresses of private networks are
                refused.
            events: What to send messages about.
        """
        answer: CreatedWebhook = await self._call(
            "create_webhook",
            {
                "url": url,
                "events": events,
            },
        )
        return answer

    async def get_webhook(
        self,
        *,
        webhook_id: str,
    ) -> Webhook:
        """Get a webhook.

        With its last failure, and how many messages are pending.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
        """
        answer: Webhook = await self._call(
            "get_webhook",
            {
                "webhook_id": webhook_id,
            },
        )
        return answer

    async def list_webhooks(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListWebhooksResponse:
        """List the account's webhooks.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListWebhooksResponse = await self._call(
            "list_webhooks",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_webhooks(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[Webhook]:
        """List the account's webhooks.

        Like `list_webhooks`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_webhooks",
            "webhooks",
            {
                "page_size": page_size,
            },
        )

    async def update_webhook(
        self,
        *,
        webhook_id: str,
        url: str | None = None,
        events: Sequence[WebhookEventType] | None = None,
        enabled: bool | None = None,
        rotate_secret: bool | None = None,
    ) -> Webhook:
        """Change, enable or disable a webhook, or rotate its secret.

        Fields that you leave out stay as they are. Disabling it drops its pending messages.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
            url: Where to send the messages, with `http://` or `https://`, without credentials
                and fragment. Unless the operator allows it, addresses of private networks are
                refused.
            events: What to send messages about.
            enabled: False stops sending; true starts again, with new messages only.
            rotate_secret: True creates a new secret, which the response contains. For 24 hours,
                messages are signed with both.
        """
        answer: Webhook = await self._call(
            "update_webhook",
            {
                "webhook_id": webhook_id,
                "url": url,
                "events": events,
                "enabled": enabled,
                "rotate_secret": rotate_secret,
            },
        )
        return answer

    async def delete_webhook(
        self,
        *,
        webhook_id: str,
    ) -> Webhook | None:
        """Delete a webhook and its pending messages.

        Returns the deleted webhook.

        Args:
            webhook_id: The ID of the webhook. It starts with `whk_`.
        """
        answer: Webhook | None = await self._call(
            "delete_webhook",
            {
                "webhook_id": webhook_id,
            },
        )
        return answer

    async def get_project_statistics(
        self,
        *,
        project_id: str,
        since_ts: int | None = None,
        until_ts: int | None = None,
        interval: Literal["HOUR", "DAY"] | None = None,
    ) -> ProjectStatistics:
        """Get the calls, events and records of a project over time.

        Processes count in memory and write their counts every 10 seconds, so the newest calls
        appear with this delay; a process that is killed loses the counts of these seconds. Counts
        of calls are kept for 90 days, those of records for 400.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            since_ts: The start of the time range, rounded down to the interval; by default 30
                days before its end, in milliseconds since the Unix epoch (UTC).
            until_ts: The end of the time range, exclusive; by default now, in milliseconds
                since the Unix epoch (UTC).
            interval: The length of the intervals in `calls`. Days are in UTC. A range may have
                at most 744 hours or 400 days.
        """
        answer: ProjectStatistics = await self._call(
            "get_project_statistics",
            {
                "project_id": project_id,
                "since_ts": since_ts,
                "until_ts": until_ts,
                "interval": interval,
            },
        )
        return answer

    async def get_usage(
        self,
        *,
        since_ts: int | None = None,
        until_ts: int | None = None,
    ) -> Usage:
        """Get what the account uses of its plan, and its calls by project and caller.

        Processes count in memory and write their counts every 10 seconds, so the newest calls
        appear with this delay; a process that is killed loses the counts of these seconds. Counts
        of calls are kept for 90 days, those of records for 400.

        Args:
            since_ts: The start of the time range, rounded down to the interval; by default 30
                days before its end, in milliseconds since the Unix epoch (UTC).
            until_ts: The end of the time range, exclusive; by default now, in milliseconds
                since the Unix epoch (UTC).
        """
        answer: Usage = await self._call(
            "get_usage",
            {
                "since_ts": since_ts,
                "until_ts": until_ts,
            },
        )
        return answer

    async def invite_person(
        self,
        *,
        email: str,
        name: str,
        role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"],
    ) -> InvitedPerson:
        """Invite a person to the account.

        Gives the person a role and returns a one-time link to sign in. For a person of this
        account, it replaces the role, and the link replaces their password and sessions, for
        example if they have forgotten the password. Whether the email is in use in another account
        makes no difference. An account has at most 1000 people.

        Args:
            email: The person's email address. Upper and lower case are the same.
            name: The display name of the person.
            role: What the person may do in this account: each role includes the ones before it.
        """
        answer: InvitedPerson = await self._call(
            "invite_person",
            {
                "email": email,
                "name": name,
                "role": role,
            },
        )
        return answer

    async def get_person(
        self,
        *,
        person_id: str,
    ) -> Person:
        """Get a person of the account.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
        """
        answer: Person = await self._call(
            "get_person",
            {
                "person_id": person_id,
            },
        )
        return answer

    async def list_people(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListPeopleResponse:
        """List the people of the account.

        By ID, which is the order in which they were first invited.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListPeopleResponse = await self._call(
            "list_people",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_people(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[Person]:
        """List the people of the account.

        Like `list_people`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_people",
            "people",
            {
                "page_size": page_size,
            },
        )

    async def update_person(
        self,
        *,
        person_id: str,
        role: Literal["VIEWER", "EDITOR", "OPERATOR", "OWNER"],
    ) -> Person:
        """Change a person's role.

        Takes effect within two seconds, in all sessions of the person.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
            role: What the person may do in this account: each role includes the ones before it.
        """
        answer: Person = await self._call(
            "update_person",
            {
                "person_id": person_id,
                "role": role,
            },
        )
        return answer

    async def remove_person(
        self,
        *,
        person_id: str,
    ) -> RemovedPerson:
        """Remove a person from the account.

        Returns the removed person. Their password, sessions, link and identity end with them;
        sessions and download URLs within two seconds. API keys that they created go on working:
        `api_keys` lists them.

        Args:
            person_id: The ID of the person. It starts with `prs_`.
        """
        answer: RemovedPerson = await self._call(
            "remove_person",
            {
                "person_id": person_id,
            },
        )
        return answer

    async def list_audit_events(
        self,
        *,
        actor_id: str | None = None,
        operation: str | None = None,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListAuditEventsResponse:
        """List the changes made in the account.

        Every change by a person or an API key, newest first, with who, when and what. Contents of
        records and secrets are never part of it. Upserts by API keys are not listed; other writes
        of records are counted per hour, dataset and caller. Calls that were refused are only in the
        log.

        Args:
            actor_id: Only changes by this person (their ID) or this API key.
            operation: Only calls of this operation, by its path, such as `/delete-project`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListAuditEventsResponse = await self._call(
            "list_audit_events",
            {
                "actor_id": actor_id,
                "operation": operation,
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_audit_events(
        self,
        *,
        actor_id: str | None = None,
        operation: str | None = None,
        page_size: int | None = None,
    ) -> AsyncIterator[AuditEvent]:
        """List the changes made in the account.

        Like `list_audit_events`, but iterates over the entries of all pages.

        Args:
            actor_id: Only changes by this person (their ID) or this API key.
            operation: Only calls of this operation, by its path, such as `/delete-project`.
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_audit_events",
            "audit_events",
            {
                "actor_id": actor_id,
                "operation": operation,
                "page_size": page_size,
            },
        )

    async def create_api_key(
        self,
        *,
        name: str,
        operations: Sequence[str] | None = None,
    ) -> CreatedApiKey:
        """Create an API key.

        Returns the secret, which is shown only this once. You can only give a key operations that
        you may call yourself: a person those of their role, an API key those that it allows. An
        account has at most 1000 keys that are not revoked.

        Args:
            name: The display name of the key.
            operations: The paths of the operations that the key allows. Without it, the key
                allows all operations, also future ones.
        """
        answer: CreatedApiKey = await self._call(
            "create_api_key",
            {
                "name": name,
                "operations": operations,
            },
        )
        return answer

    async def create_write_key(
        self,
        *,
        name: str,
        event_dataset_id: str,
        user_dataset_id: str | None = None,
    ) -> CreatedWriteKey:
        """Create a write key, for senders that cannot fetch tokens.

        Returns the write key, which is shown only this once. A sender sends it as it is, without a
        token. It can only call `/upsert-dataset-events`, for one event dataset, with the mode
        `REPLACE`, and the paths for Segment's clients, and reads nothing. Whoever has it can add
        events, and replace events whose IDs they know; with `user_dataset_id`, also create users
        and change the attributes of any user in that dataset. You must be allowed to call
        `/upsert-dataset-events` yourself, and with `user_dataset_id` also `/upsert-dataset-users`.
        The other operations on API keys list, rename and revoke it by its `api_key`. It counts
        toward the 1000 keys of an account.

        Args:
            name: The display name of the key.
            event_dataset_id: The event dataset that the key writes to. It starts with `eds_`.
            user_dataset_id: The user dataset that the key writes the traits of users to. It
                starts with `uds_`. Without it, calls of `identify` are ignored.
        """
        answer: CreatedWriteKey = await self._call(
            "create_write_key",
            {
                "name": name,
                "event_dataset_id": event_dataset_id,
                "user_dataset_id": user_dataset_id,
            },
        )
        return answer

    async def get_api_key(
        self,
        *,
        api_key: str,
    ) -> ApiKey:
        """Get an API key.

        Without its secret.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
        """
        answer: ApiKey = await self._call(
            "get_api_key",
            {
                "api_key": api_key,
            },
        )
        return answer

    async def list_api_keys(
        self,
        *,
        page_size: int | None = None,
        page_token: str | None = None,
    ) -> ListApiKeysResponse:
        """List the API keys of the account.

        Without their secrets. Revoked keys are listed too.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
            page_token: The `next_page_token` of the previous page.
        """
        answer: ListApiKeysResponse = await self._call(
            "list_api_keys",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
        )
        return answer

    def iter_api_keys(
        self,
        *,
        page_size: int | None = None,
    ) -> AsyncIterator[ApiKey]:
        """List the API keys of the account.

        Like `list_api_keys`, but iterates over the entries of all pages.

        Args:
            page_size: The maximum number of entries per page. Without it, the response contains
                all entries, up to 10,000 and about 4 MiB.
        """
        return self._iterate(
            "list_api_keys",
            "api_keys",
            {
                "page_size": page_size,
            },
        )

    async def update_api_key(
        self,
        *,
        api_key: str,
        name: str | None = None,
        operations: Sequence[str] | None = None,
    ) -> ApiKey:
        """Rename an API key, or change the operations that it allows.

        New operations apply within two seconds, also to existing tokens. You can only give a key
        operations that you may call yourself: a person those of their role, an API key those that
        it allows. You can only change a key that allows nothing that you may not call yourself. A
        write key can only be renamed. To let a key call all operations again, create a new one.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
            name: The display name of the key.
            operations: The paths of the operations that the key allows from now on. Without it,
                they stay as they are.
        """
        answer: ApiKey = await self._call(
            "update_api_key",
            {
                "api_key": api_key,
                "name": name,
                "operations": operations,
            },
        )
        return answer

    async def revoke_api_key(
        self,
        *,
        api_key: str,
    ) -> ApiKey:
        """Revoke an API key.

        The key and its tokens stop working within two seconds. This cannot be undone. Revoking a
        revoked key changes nothing. You can only change a key that allows nothing that you may not
        call yourself.

        Args:
            api_key: The API key. It starts with `tg_` and the name of the cell. It is not a
                secret.
        """
        answer: ApiKey = await self._call(
            "revoke_api_key",
            {
                "api_key": api_key,
            },
        )
        return answer

    async def recommend_items_to_user(
        self,
        *,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
        model_id: str | None = None,
    ) -> Recommendation:
        """Recommend items to a user.

        Recommendations reflect everything written before the call, including the user's latest
        events and changed or deleted items. Items for which the user has a target event are
        excluded unless `exclude_seen` is false. For a user without events, they are based on the
        attributes of the user and on popularity. Pass `user_id`, `context_items` or both.

        Args:
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
            model_id: The ID of another model of the project, to try it before you deploy it. It
                starts with `mdl_`. It recommends alone, without a ranker. The project must be
                deployed, and the call counts toward its `qps`. The first call may fail with 503
                while the model is loaded; a serving process loads it only into memory that the
                deployed models leave free.
        """
        answer: Recommendation = await self._call(
            "recommend_items_to_user",
            {
                "user_id": user_id,
                "context_items": context_items,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
                "model_id": model_id,
            },
        )
        return answer

    async def recommend_items_to_item(
        self,
        *,
        item_id: str | None = None,
        item_ids: Sequence[str] | None = None,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> SimilarItems:
        """Recommend items that are similar to an item or go with a basket.

        Pass either `item_id` or `item_ids`. Items are similar if the same users interact with them.
        The response never contains the items that you pass. With `user_id` or `context_items`, the
        order also depends on the taste of the user. If the deployed model is a `POPULAR` model, or
        knows none of the items that you pass, the response contains recommendations for the user
        instead (popular items if you pass neither `user_id` nor `context_items`), and `message`
        says so.

        Args:
            item_id: Your ID for the item. Control characters are not allowed.
            item_ids: The items in a basket, to get items that go with all of them. Pass either
                `item_id` or `item_ids`.
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: SimilarItems = await self._call(
            "recommend_items_to_item",
            {
                "item_id": item_id,
                "item_ids": item_ids,
                "user_id": user_id,
                "context_items": context_items,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    async def rank_items_for_user(
        self,
        *,
        item_ids: Sequence[str],
        filter_query: str | None | Unset = UNSET,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        user_id: str | None = None,
        context_items: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> Ranking:
        """Rank a list of items for a user.

        Returns the items that you pass, best first, with scores. Use it for search results, for
        example, or for a list that an editor made. Items that the user has seen are ranked like the
        others, and a `filter_query` leaves out those that do not match. A pin of an item that is
        not in the list has no effect. If a ranker model is deployed, it alone decides the order and
        the scores. `explain` applies to the best 200 items. Pass `user_id`, `context_items` or
        both.

        Args:
            item_ids: The items to rank, in any order. An item that is listed twice counts once.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            user_id: Your ID for the user. Control characters are not allowed.
            context_items: Items to treat, in this call only, as if the user had just interacted
                with them (a target event for each), the most recent last: for example, the items in
                a basket, or those that a visitor looked at. Without `user_id`, recommendations are
                based on these items alone.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: Ranking = await self._call(
            "rank_items_for_user",
            {
                "item_ids": item_ids,
                "filter_query": keep_none(filter_query),
                "boosts": boosts,
                "pins": pins,
                "user_id": user_id,
                "context_items": context_items,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    async def recommend_popular_items(
        self,
        *,
        window_hours: int | None = None,
        event_type: str | None = None,
        attribute: str | None = None,
        value: str | float | bool | None = None,
        user_id: str | None = None,
        limit: int | None = None,
        filter_query: str | None | Unset = UNSET,
        exclude_item_ids: Sequence[str] | None = None,
        boosts: Sequence[Boost] | None = None,
        pins: Sequence[Pin] | None = None,
        promote: Promotion | None = None,
        new_item_share: float | None = None,
        diversity: DiversityInput | None = None,
        cursor: str | None = None,
        exclude_seen: bool | None = None,
        exclude_event_types: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        explain: bool | None = None,
        project_id: str | None = None,
        scenario: str | None = None,
    ) -> PopularItems:
        """Recommend what is popular now.

        Returns the items with the most events in a window that ends now, then the other items by
        their popularity at training time. While calls arrive, the service counts the events about
        once a minute; the first response after a pause uses the last counts. For hours with more
        than 600 events (further back, for 6 hours or days), the counts are estimates. With
        `user_id`, items that the user has seen are left out.

        Args:
            window_hours: The length of the window, in hours before the call. By default, the
                service chooses the window that best predicts the next events of the project.
            event_type: The type of the events to count. Default: the target event type.
            attribute: The name of the item attribute.
            value: Return only items whose `attribute` is this value, or is a list that contains
                it. Pass both fields or neither.
            user_id: Your ID for the user. Control characters are not allowed.
            limit: The number of items to return. A number above 200 is treated as 200, and
                `message` says so.
            filter_query: A CEL expression over `item` that recommended items must satisfy, such
                as `item.price < 20.0 && "Comedy" in item.genres`. Null for no filter.
            exclude_item_ids: Items not to return.
            boosts: Multiplies the scores of the items that match. If an item matches several
                boosts, its score is multiplied by each factor. Items that the model relates to
                nothing in the events of the user are ordered by popularity and stay below the
                others, whatever the factors.
            pins: Items with a fixed position on the first page. If the list is shorter, they
                come last. A pinned item must have a record. It is returned even if it does not
                match `filter_query` or the user has seen it, but not if it is in
                `exclude_item_ids`.
            promote: Reserves a share of every page for the best items that match, spread over
                the page. Matching items that are on the page because of their score count toward
                the share.
            new_item_share: The minimum share of the items on a page that are new, if there are
                enough: items with fewer than 10 events in the training, and items that were added
                after it. For each reserved position, one of the 5 best new items that are left is
                drawn at random; the draw stays the same for a user for one day (UTC). New items
                that are on the page because of their score count toward the share.
            diversity: Makes a page varied: by `level`, by `attribute` and `max_per_value`, or
                both. Items that are left out of a page may be on the next one.
            cursor: The `cursor` of the previous page. The response contains the next items and
                repeats none, even if the user has new events or another model was deployed.
                Otherwise send the same request; only `limit`, `attributes` and `explain` may
                differ.
            exclude_seen: Whether to exclude items that the user has seen: those with a target
                event, and `context_items`.
            exclude_event_types: The event types that make an item seen: an item is excluded if
                the user has an event of one of these types with it. Default: the target event type.
                Ignored if `exclude_seen` is false.
            attributes: The item attributes to return.
            explain: Whether to return a `score` and `reasons` for each item.
            project_id: The ID of the project. It starts with `prj_`. Defaults to the default
                project of the account.
            scenario: The name of a scenario of the project. Its fields apply to this call;
                fields of the call itself override them.
        """
        answer: PopularItems = await self._call(
            "recommend_popular_items",
            {
                "window_hours": window_hours,
                "event_type": event_type,
                "attribute": attribute,
                "value": value,
                "user_id": user_id,
                "limit": limit,
                "filter_query": keep_none(filter_query),
                "exclude_item_ids": exclude_item_ids,
                "boosts": boosts,
                "pins": pins,
                "promote": promote,
                "new_item_share": new_item_share,
                "diversity": diversity,
                "cursor": cursor,
                "exclude_seen": exclude_seen,
                "exclude_event_types": exclude_event_types,
                "attributes": attributes,
                "explain": explain,
                "project_id": project_id,
                "scenario": scenario,
            },
        )
        return answer

    async def get_recommendation(
        self,
        *,
        project_id: str,
        recommendation_id: str,
    ) -> GivenRecommendation:
        """Get a response that was given.

        Returns what a recommendation call answered, and why: the items with their scores, the
        models, the scenario and the rules. Responses can be read a few seconds after they were
        given, and are kept for 30 days (`DECISION_LOG_DAYS`). Attributes of items are not kept.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            recommendation_id: The ID of the response. It starts with `rec_`.
        """
        answer: GivenRecommendation = await self._call(
            "get_recommendation",
            {
                "project_id": project_id,
                "recommendation_id": recommendation_id,
            },
        )
        return answer

    async def get_outcomes(
        self,
        *,
        project_id: str,
        scenario: str | None = None,
        since_ts: int | None = None,
        until_ts: int | None = None,
    ) -> Outcomes:
        """Get what followed the recommendations.

        Returns, by day, scenario, model and variant, how many responses were followed by events on
        the recommended items; and beside it, per visit, what users did with and without a
        recommendation. An event belongs to a response that recommended the item to the user at most
        `attribution_hours` of the project before: to the one that its `recommendation_id` names, or
        else to the last one. A response without a user belongs to everybody. Events are attributed
        every few minutes, late ones included. Without `since_ts`, returns the last 30 days.

        Args:
            project_id: The ID of the project. It starts with `prj_`.
            scenario: The name of the scenario, unique in the project, such as `home` or
                `product page`.
            since_ts: Return only days that end after this time, in milliseconds since the Unix
                epoch (UTC).
            until_ts: Return only days that start before this time, in milliseconds since the
                Unix epoch (UTC).
        """
        answer: Outcomes = await self._call(
            "get_outcomes",
            {
                "project_id": project_id,
                "scenario": scenario,
                "since_ts": since_ts,
                "until_ts": until_ts,
            },
        )
        return answer
