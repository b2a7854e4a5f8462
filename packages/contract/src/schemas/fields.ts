import Type, { type Static, type TSchema } from 'typebox';
import { type IdKind, idPrefixes } from '../ids.ts';
import { limits } from '../limits.ts';

/** No control characters and no lone surrogates, by code point: what PostgreSQL, JSON and people can all hold. */
const printable = '[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]';

const text = (max: number, description: string) =>
  Type.String({ pattern: `^${printable}{1,${max}}$`, description });

export const Name = text(limits.nameLength, `1 to ${limits.nameLength} characters, for people.`);

export const DeveloperId = text(
  limits.developerIdLength,
  `1 to ${limits.developerIdLength} characters without control characters.`,
);

export const EventType = text(limits.eventTypeLength, `1 to ${limits.eventTypeLength} characters.`);

export const AttributeName = text(limits.attributeNameLength, 'Name of an attribute.');

export const Ts = Type.Integer({
  minimum: 0,
  maximum: limits.tsMax,
  description: 'Milliseconds since the epoch, UTC.',
});

/** Any text is taken where an id of ours is asked for: one that does not exist is 404, whatever its shape. */
export const Id = (kind: IdKind) =>
  Type.String({
    pattern: `^${printable}{0,100}$`,
    description: `An id with the prefix \`${idPrefixes[kind]}_\`.`,
  });

/** A map with free keys, written as `additionalProperties`, which generators of clients understand best. */
export const MapOf = <T extends TSchema>(value: T, options: Type.TSchemaOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options });

export const Nullable = <T extends TSchema>(schema: T, options: Type.TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** An object that refuses unknown fields: a misspelt optional field is an error, not silence. */
export const Closed = <T extends Type.TProperties>(properties: T, options: Type.TSchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** Gives a schema the name it bears in OpenAPI's components. */
export const Named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

export const PageQuery = {
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: limits.pageSizeDefault }),
  ),
  page_token: Type.Optional(
    Type.String({ maxLength: 200, description: '`next_page_token` of the page before.' }),
  ),
};

/** A page of a list, newest first. */
export const Page = <K extends string, T extends TSchema>(key: K, item: T) =>
  Closed({
    ...({ [key]: Type.Array(item) } as Record<K, Type.TArray<T>>),
    next_page_token: Nullable(Type.String(), { description: 'Null on the last page.' }),
  });
