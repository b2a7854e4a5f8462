import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, Id, MapOf, Name, Named, Nullable } from './fields.ts';

const NumShards = Type.Integer({
  minimum: 1,
  maximum: limits.numShardsMax,
  description: `The number of shards. The dataset can hold up to ${limits.recordsPerShard.toLocaleString('en')} records per shard. You can raise the number later, but not lower it.`,
});

/** A list of so many numbers, such as an embedding. */
type VectorKind = `VECTOR(${number})`;
type NamedKind = 'NUMERICAL' | 'CATEGORICAL' | 'TEXT';
export type AttributeKind = NamedKind | VectorKind;

/** How many numbers a vector of this kind has; undefined for other kinds. */
export function vectorLength(kind: string): number | undefined {
  const [, length] = /^VECTOR\((\d+)\)$/.exec(kind) ?? [];
  return length === undefined ? undefined : Number(length);
}

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
    Dataset: Named(
      title,
      Closed({
        ...id,
        name: Name('dataset'),
        num_shards: NumShards,
        attribute_schema,
        ...more.Dataset,
        record_count: Type.Integer({ minimum: 0, description: 'The number of records in the dataset.' }),
      }),
    ),
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
        Nullable(schemaOf[kind], {
          description: `${description} If absent, the schema stays as it is.`,
        }),
      ),
      ...more.Update,
    }),
    Ref: Closed(id),
  };
};

export const userDataset = datasetSchemas('user', 'user_dataset_id', 'UserDataset', noFields);
export const itemDataset = datasetSchemas('item', 'item_dataset_id', 'ItemDataset', noFields);
export const eventDataset = datasetSchemas('event', 'event_dataset_id', 'EventDataset', retentionFields);
