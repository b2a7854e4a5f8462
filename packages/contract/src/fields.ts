import Type, { type Static, type TSchema } from 'typebox';
import { type IdKind, idPrefixes } from './ids.ts';
import { limits } from './limits.ts';

/** Excludes control characters and lone surrogates, which PostgreSQL, JSON or people cannot handle. Counts code points. */
const printable = '[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]';

/** Text that can be stored and compared. */
export const text = (max: number, description: string) =>
  Type.String({ pattern: `^${printable}{1,${max}}$`, description });

export const Name = (of: string) => text(limits.nameLength, `The display name of the ${of}.`);

export const UserId = text(
  limits.developerIdLength,
  'Your ID for the user. Control characters are not allowed.',
);

export const ItemId = text(
  limits.developerIdLength,
  'Your ID for the item. Control characters are not allowed.',
);

export const EventId = text(
  limits.eventIdLength,
  'Your ID for the event, unique in the dataset. Control characters are not allowed.',
);

export const IdPrefix = text(
  limits.developerIdLength,
  'Return only records whose ID starts with this text. The comparison is case-sensitive.',
);

export const EventType = (description = 'The type of the event, such as `view` or `buy`.') =>
  text(limits.eventTypeLength, description);

export const AttributeName = text(limits.attributeNameLength, 'The name of an attribute.');

export const ItemAttributeName = text(limits.attributeNameLength, 'The name of the item attribute.');

export const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'The day, in UTC.' });

const time = { minimum: 0, maximum: limits.tsMax };
const inMilliseconds = (when: string) => `${when}, in milliseconds since the Unix epoch (UTC).`;

export const Ts = (when: string) => Type.Integer({ ...time, description: inMilliseconds(when) });

/** `otherwise` says when it is null. */
export const NullableTs = (when: string, otherwise: string) =>
  Nullable(Type.Integer(time), { description: `${inMilliseconds(when)} ${otherwise}` });

/** `userDataset` as `user dataset`. */
const idName = (kind: IdKind) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The largest `integer` of PostgreSQL. */
export const integerMax = 2_147_483_647;

/** A whole number from 1 on, as a database can hold it. */
export const Ordinal = (description: string) =>
  Type.Integer({ minimum: 1, maximum: integerMax, description });

/** A whole number from 0 on: how many, or how much. */
export const Natural = (description: string) => Type.Integer({ minimum: 0, description });

/** Accepts any text, so that an ID that does not exist is 404 whatever its format. */
export const Id = (kind: IdKind, what = `The ID of the ${idName(kind)}`, note = '') =>
  Type.String({
    pattern: `^${printable}{0,100}$`,
    description: `${what}. It starts with \`${idPrefixes[kind]}_\`.${note && ` ${note}`}`,
  });

/** A map with free keys, written as `additionalProperties`, which client generators understand best. */
export const MapOf = <T extends TSchema>(value: T, options: Type.TSchemaOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options });

export const Nullable = <T extends TSchema>(schema: T, options: Type.TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** An object that rejects unknown fields, so that a misspelled optional field is an error. */
export const Closed = <T extends Type.TProperties>(properties: T, options: Type.TSchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** Sets the schema's name in the OpenAPI components. */
export const Named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

/** A `Closed` object with a name. */
export const NamedObject = <T extends Type.TProperties>(title: string, properties: T, description?: string) =>
  Named(title, Closed(properties, description === undefined ? {} : { description }));

/** `tokenLength` is the maximum length of a page token. */
const pageQuery = (tokenLength: number) => ({
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.pageSizeMax,
      description: `The maximum number of entries per page. Without it, the response contains all entries, up to ${limits.listEntriesMax.toLocaleString('en')} and about 4 MiB.`,
    }),
  ),
  page_token: Type.Optional(
    Type.String({ maxLength: tokenLength, description: 'The `next_page_token` of the previous page.' }),
  ),
});

export const PageQuery = pageQuery(200);

/** The page token of a list of records contains the IDs of the last record, encrypted and in base 64. */
export const RecordPageQuery = pageQuery(6000);

/** One of the names, each with its meaning. */
export const OneOf = <Name extends string>(title: string, meanings: Readonly<Record<Name, string>>) =>
  Named(
    title,
    Type.Enum(Object.keys(meanings) as Name[], {
      description: Object.entries(meanings)
        .map(([name, meaning]) => `\`${name}\`: ${String(meaning)}`)
        .join(' '),
    }),
  );

/** One page of a list. */
export function Page<K extends string, T extends TSchema>(key: K, item: T, order = 'newest first') {
  const entries = Type.Array(item, { description: `The entries of this page, ${order}.` });
  const named = { [key]: entries } as Record<K, typeof entries>;
  return Closed({
    ...named,
    next_page_token: Nullable(Type.String(), {
      description: 'The `page_token` of the next page. Null on the last page.',
    }),
    message: Nullable(Type.String(), {
      description:
        'A note if the response does not contain all entries because it reached a limit of the service. Null otherwise.',
    }),
  });
}
