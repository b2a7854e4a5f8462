import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, Id, MapOf, Name, Named, Nullable } from './fields.ts';

const NumShards = Type.Integer({
  minimum: 1,
  maximum: limits.numShardsMax,
  description: `The dataset holds at most num_shards x ${limits.recordsPerShard} records. Cannot be changed later.`,
});

export type AttributeKind = 'NUMERICAL' | 'CATEGORICAL' | 'TEXT';

const oneOf = <K extends AttributeKind>(...kinds: K[]): Type.TUnsafe<K> =>
  Type.Unsafe<K>({ type: 'string', enum: kinds });

const attributeSchema = <T extends Type.TSchema>(title: string, kind: T) => {
  const map = MapOf(Named(`${title}Kind`, kind), {
    maxProperties: limits.attributeNames,
    propertyNames: AttributeName,
  });
  return Nullable(Named(`${title}Schema`, map), {
    default: null,
    description: 'Attribute name to kind; what is not named, and all when null, is inferred.',
  });
};

const plainKinds = attributeSchema('Attribute', oneOf('NUMERICAL', 'CATEGORICAL'));
const itemKinds = attributeSchema('ItemAttribute', oneOf('NUMERICAL', 'CATEGORICAL', 'TEXT'));

const schemaOf = { user: plainKinds, item: itemKinds, event: plainKinds } as const;

export type DatasetKind = keyof typeof schemaOf;
/** The three kinds of dataset differ in the name of their id and in the attribute kinds they take. */
const datasetSchemas = <K extends DatasetKind, F extends `${K}_dataset_id`>(
  kind: K,
  idField: F,
  title: string,
) => {
  const id = { [idField]: Id(`${kind}Dataset`) } as Record<F, ReturnType<typeof Id>>;
  const attribute_schema = schemaOf[kind];
  return {
    Dataset: Named(
      title,
      Closed({
        ...id,
        name: Name,
        num_shards: NumShards,
        attribute_schema,
        record_count: Type.Integer({ minimum: 0, description: 'Records the dataset holds now.' }),
      }),
    ),
    Create: Closed({ name: Name, num_shards: NumShards, attribute_schema: Type.Optional(attribute_schema) }),
    Update: Closed({
      ...id,
      name: Type.Optional(Name),
      attribute_schema: Type.Optional(attribute_schema),
    }),
    Ref: Closed(id),
  };
};

export const userDataset = datasetSchemas('user', 'user_dataset_id', 'UserDataset');
export const itemDataset = datasetSchemas('item', 'item_dataset_id', 'ItemDataset');
export const eventDataset = datasetSchemas('event', 'event_dataset_id', 'EventDataset');
