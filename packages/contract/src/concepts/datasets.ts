import Type from 'typebox';
import { ids, lastPage } from '../bookshop.ts';
import {
  AttributeName,
  Closed,
  Id,
  MapOf,
  Name,
  Named,
  NamedObject,
  Natural,
  Nullable,
  Page,
  PageQuery,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const NumShards = Type.Integer({
  minimum: 1,
  maximum: limits.numShardsMax,
  description: `The number of shards. The dataset can hold up to ${limits.recordsPerShard.toLocaleString('en')} records per shard. You can raise the number later, but not lower it.`,
});

/** A list of so many numbers, such as an embedding. */
type VectorKind = `VECTOR(${number})`;
type NamedKind = 'NUMERICAL' | 'CATEGORICAL' | 'TEXT';
export type AttributeKind = NamedKind | VectorKind;

const oneOf = <K extends NamedKind>(...kinds: K[]): Type.TUnsafe<K> =>
  Type.Unsafe<K>({ type: 'string', enum: kinds });

const attributeSchema = <T extends Type.TSchema>(title: string, kind: T) => {
  const map = MapOf(Named(`${title}Kind`, kind), {
    maxProperties: limits.attributeNames,
    propertyNames: AttributeName,
  });
  return Named(`${title}Schema`, map);
};

const plainKinds = attributeSchema('Attribute', oneOf('NUMERICAL', 'CATEGORICAL'));
const itemKinds = attributeSchema(
  'ItemAttribute',
  Type.String({
    pattern: '^(?:NUMERICAL|CATEGORICAL|TEXT|VECTOR\\((?:[1-9][0-9]{0,2}|10[01][0-9]|102[0-4])\\))$',
    examples: ['NUMERICAL', 'CATEGORICAL', 'TEXT', 'VECTOR(384)'],
    description: `\`NUMERICAL\`, \`CATEGORICAL\`, \`TEXT\`, or \`VECTOR(n)\` for a list of n numbers, at most ${limits.vectorLength.toLocaleString('en')}, such as \`VECTOR(384)\`.`,
  }),
);

const schemaOf = { user: plainKinds, item: itemKinds, event: plainKinds } as const;

const inferred = 'The kind of an attribute that is not listed is inferred; if null, all kinds are inferred.';
const meaningOf = {
  user: inferred,
  item: `${inferred} \`TEXT\` attributes are free text: a training of G1 uses their words, and the direction of \`VECTOR(n)\` attributes (embeddings), if that improves the recommendation of new items. Vectors cannot be used in filters and boosts, or returned with recommendations.`,
  event: 'It is stored and returned, but has no effect: training does not read the attributes of events.',
} as const;

const RetentionDays = Type.Integer({ minimum: 1, maximum: limits.retentionDaysMax });
const retention =
  'How many days events are kept. Workers delete events whose `ts` is older than that, usually within an hour. Older events can still be written, and are deleted in the same way. Null: events are kept until you delete them.';
const retentionFields = {
  Dataset: { retention_days: Nullable(RetentionDays, { default: null, description: retention }) },
  Create: {
    retention_days: Type.Optional(Nullable(RetentionDays, { default: null, description: retention })),
  },
  // Without a default: an absent retention stays as it is, and null removes it.
  Update: {
    retention_days: Type.Optional(
      Nullable(RetentionDays, {
        description: `${retention} If absent, it stays as it is. A new value applies at once.`,
      }),
    ),
  },
};
const noFields = { Dataset: {}, Create: {}, Update: {} };

export type DatasetKind = keyof typeof schemaOf;
/** The three kinds of dataset differ in the name of their ID field, in the attribute kinds they accept, and in `more` fields. */
const datasetSchemas = <
  K extends DatasetKind,
  F extends `${K}_dataset_id`,
  D extends Type.TProperties,
  C extends Type.TProperties,
  U extends Type.TProperties,
>(
  kind: K,
  idField: F,
  title: string,
  more: { Dataset: D; Create: C; Update: U },
) => {
  const id = { [idField]: Id(`${kind}Dataset`) } as Record<F, ReturnType<typeof Id>>;
  const description = `The kind of each attribute, by name. ${meaningOf[kind]}`;
  const attribute_schema = Nullable(schemaOf[kind], { default: null, description });
  return {
    Dataset: NamedObject(title, {
      ...id,
      name: Name('dataset'),
      num_shards: NumShards,
      attribute_schema,
      ...more.Dataset,
      record_count: Natural('The number of records in the dataset.'),
    }),
    Create: Closed({
      name: Name('dataset'),
      num_shards: NumShards,
      attribute_schema: Type.Optional(attribute_schema),
      ...more.Create,
    }),
    Update: Closed({
      ...id,
      name: Type.Optional(Name('dataset')),
      num_shards: Type.Optional(NumShards),
      // Without a default: an absent schema stays as it is, and null removes it.
      attribute_schema: Type.Optional(
        Nullable(schemaOf[kind], { description: `${description} If absent, the schema stays as it is.` }),
      ),
      ...more.Update,
    }),
    Ref: Closed(id),
  };
};

const userDataset = datasetSchemas('user', 'user_dataset_id', 'UserDataset', noFields);
const itemDataset = datasetSchemas('item', 'item_dataset_id', 'ItemDataset', noFields);
const eventDataset = datasetSchemas('event', 'event_dataset_id', 'EventDataset', retentionFields);

const listRequest = Closed(PageQuery);

const operations = {
  createUserDataset: {
    summary: 'Create a user dataset',
    description:
      "Each project uses one user dataset. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all user datasets.",
    request: userDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: userDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getUserDataset: {
    summary: 'Get a user dataset',
    description: "Returns the dataset's settings and its number of records.",
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listUserDatasets: {
    summary: "List the account's user datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('user_datasets', userDataset.Dataset),
    errors: [],
  },
  updateUserDataset: {
    summary: 'Change the name, attribute schema or number of shards of a user dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A new attribute schema applies to records written from then on; existing records are not checked again.',
    request: userDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteUserDataset: {
    summary: 'Delete a user dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its records cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createItemDataset: {
    summary: 'Create an item dataset',
    description:
      "Each project recommends the items of one item dataset. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all item datasets.",
    request: itemDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: itemDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getItemDataset: {
    summary: 'Get an item dataset',
    description: "Returns the dataset's settings and its number of records.",
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listItemDatasets: {
    summary: "List the account's item datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('item_datasets', itemDataset.Dataset),
    errors: [],
  },
  updateItemDataset: {
    summary: 'Change the name, attribute schema or number of shards of an item dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A new attribute schema applies to records written from then on; existing records are not checked again.',
    request: itemDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteItemDataset: {
    summary: 'Delete an item dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its records cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createEventDataset: {
    summary: 'Create an event dataset',
    description:
      "Events of all types go into one dataset, which several projects can share. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all event datasets.",
    request: eventDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: eventDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getEventDataset: {
    summary: 'Get an event dataset',
    description: "Returns the dataset's settings and its number of events.",
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listEventDatasets: {
    summary: "List the account's event datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('event_datasets', eventDataset.Dataset),
    errors: [],
  },
  updateEventDataset: {
    summary: 'Change the name, attribute schema, number of shards or retention of an event dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema, and `retention_days: null` the retention. A retention deletes events, so a caller who sets one must be allowed to call `/delete-dataset-events-before-ts`, too.',
    request: eventDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteEventDataset: {
    summary: 'Delete an event dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its events cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },
} as const satisfies Record<string, OperationFields>;

const users = {
  name: 'Readers',
  num_shards: 10,
  attribute_schema: { age: 'NUMERICAL', country: 'CATEGORICAL' },
} as const;
const items = {
  name: 'Books',
  num_shards: 10,
  attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL' },
} as const;
const events = { name: 'Shop events', num_shards: 20, attribute_schema: null, retention_days: null } as const;

const emptyUsers = { user_dataset_id: ids.users, ...users, record_count: 0 };
const emptyItems = { item_dataset_id: ids.items, ...items, record_count: 0 };
const emptyEvents = { event_dataset_id: ids.events, ...events, record_count: 0 };
const filledUsers = { ...emptyUsers, record_count: 5000 };
const filledItems = { ...emptyItems, record_count: 1200 };
const filledEvents = { ...emptyEvents, record_count: 37_595 };

export const datasetOperations = defineOperations('Datasets', operations, {
  createUserDataset: { request: users, response: emptyUsers },
  getUserDataset: { request: { user_dataset_id: ids.users }, response: filledUsers },
  listUserDatasets: { request: {}, response: { user_datasets: [filledUsers], ...lastPage } },
  updateUserDataset: {
    request: { user_dataset_id: ids.users, name: 'Readers, Europe' },
    response: { ...filledUsers, name: 'Readers, Europe' },
  },
  deleteUserDataset: { request: { user_dataset_id: ids.users }, response: filledUsers },

  createItemDataset: { request: items, response: emptyItems },
  getItemDataset: { request: { item_dataset_id: ids.items }, response: filledItems },
  listItemDatasets: { request: {}, response: { item_datasets: [filledItems], ...lastPage } },
  updateItemDataset: {
    request: {
      item_dataset_id: ids.items,
      attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL', blurb: 'TEXT' },
    },
    response: {
      ...filledItems,
      attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL', blurb: 'TEXT' },
    },
  },
  deleteItemDataset: { request: { item_dataset_id: ids.items }, response: filledItems },

  createEventDataset: { request: events, response: emptyEvents },
  getEventDataset: { request: { event_dataset_id: ids.events }, response: filledEvents },
  listEventDatasets: { request: {}, response: { event_datasets: [filledEvents], ...lastPage } },
  updateEventDataset: {
    request: {
      event_dataset_id: ids.events,
      name: 'Shop events, last two years',
      attribute_schema: { duration: 'NUMERICAL' },
      retention_days: 730,
    },
    response: {
      ...filledEvents,
      name: 'Shop events, last two years',
      attribute_schema: { duration: 'NUMERICAL' },
      retention_days: 730,
    },
  },
  deleteEventDataset: { request: { event_dataset_id: ids.events }, response: filledEvents },
});
