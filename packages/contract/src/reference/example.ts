/** JSON Schema, as far as the contract uses it. */
export interface Schema {
  readonly title?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** What a field is shown as, by its name: where a value has a meaning, chance values would mislead. */
const byName: Readonly<Record<string, unknown>> = {
  user_id: 'anna',
  item_id: 'the-glass-horizon',
  event_id: 'e1',
  event_type: 'buy',
  event_value: 1,
  target_event_type: 'buy',
  name: 'bookshop',
  num_shards: 10,
  record_count: 41_395,
  limit: 5,
  qps: 50,
  filter_query: 'item.price < 20.0',
  job_status: 'SUCCEED',
  page_token: undefined,
  next_page_token: null,
  attribute: 'genres',
  value: 'Crime',
  lower_bound: 0.4,
  min_user_num: 50,
  download_url: 'https://…',
  serving_uri: 'https://…/projects/prj_…',
  shortfall: null,
  degraded: [],
  error: null,
  progress: null,
  exclude_seen: true,
  explain: true,
};

const ts = 1_767_225_600_000;

/** A value that the schema takes, for showing. The same each time. */
export function exampleOf(schema: Schema, name = ''): unknown {
  // A measured `value` is a number, an attribute's is one of several types.
  const isMeasured = name === 'value' && schema.type === 'number';
  if (Object.hasOwn(byName, name) && !isMeasured) return byName[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, name);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, name) as object));
  if (schema.properties) return objectOf(schema.properties);
  if (schema.items) return name === 'attributes' ? ['title', 'genres'] : [exampleOf(schema.items)];
  return plain(schema, name);
}

function objectOf(properties: Readonly<Record<string, Schema>>): object {
  const entries = Object.entries(properties).map(([key, value]) => [key, exampleOf(value, key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function plain(schema: Schema, name: string): unknown {
  if (schema.type === 'object') return mapOf(name);
  if (schema.type === 'boolean') return schema.default ?? true;
  if (schema.type === 'integer')
    return name === 'ts' || name.endsWith('_ts') ? ts : (schema.default ?? schema.minimum ?? 12);
  if (schema.type === 'number') return schema.default ?? schema.minimum ?? 0.4;
  // An id of ours says its prefix.
  return /prefix `(\w+)`/.exec(schema.description ?? '')?.[1]?.concat('…') ?? '…';
}

/** Maps with free keys: an item's attributes, a schema of them, weights of event types. */
function mapOf(name: string): object {
  if (name === 'attribute_schema') return { price: 'NUMERICAL', genres: 'CATEGORICAL' };
  if (name === 'event_weights') return { view: 0.2 };
  return { title: 'The Glass Horizon', genres: ['Science Fiction'] };
}
