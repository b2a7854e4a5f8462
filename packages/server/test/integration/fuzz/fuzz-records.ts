import { type DatasetKind, limits } from '@tastegraph/contract';
import fc from 'fast-check';
import { anyJson, anyText, nestedJson, numberJson, objectJson, textJson } from './fuzz-json.ts';

/** A record as JSON text and the expected outcome, which is undefined if only the server knows. */
export interface SentRecord {
  readonly json: string;
  readonly succeeds: boolean | undefined;
}

type Fields = readonly (readonly [string, string])[];

/** Counted in code points, as in the contract. */
const sound = (max: number) => (text: string) =>
  new RegExp(`^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,${max}}$`, 'u').test(text);

/** Text that is valid in an ID, a name or a type. */
const soundText = (max: number) =>
  fc.oneof(
    anyText.filter(sound(max)),
    fc.string({ unit: 'binary', minLength: 1, maxLength: max }).filter(sound(max)),
    fc.constantFrom('a'.repeat(max), '😀'.repeat(max), 'é'.repeat(max)),
  );

const json = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.boolean()).map(([value, escaped]) => textJson(value, escaped));

/** All text that can be stored, which excludes only NUL and unpaired surrogates. */
const storableText = anyText.filter((text) => !text.includes('\0') && text.isWellFormed());
const storableNumber = numberJson.filter((text) => Number.isFinite(Number(text)));
const scalar = fc.oneof(json(storableText), storableNumber, fc.constantFrom('true', 'false'));

const listOf = (values: readonly string[]) => `[${values.join(',')}]`;
const entityAttributes = fc
  .array(
    fc.tuple(
      soundText(limits.attributeNameLength),
      fc.oneof(scalar, fc.constant('null'), fc.array(scalar, { maxLength: 5 }).map(listOf)),
    ),
    { maxLength: 5 },
  )
  .map(objectJson);

/** Attributes of an event: any keys and values, nested up to the limit. */
const eventAttributes = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constantFrom(
      'null',
      nestedJson(limits.attributeDepth - 5, '['),
      nestedJson(limits.attributeDepth - 5, '{'),
    ),
    fc.array(tie('value'), { maxLength: 4 }).map(listOf),
    tie('object'),
  ),
  object: fc.array(fc.tuple(storableText, tie('value')), { maxLength: 4 }).map(objectJson),
})).object;

const idFields = { event: 'event_id', user: 'user_id', item: 'item_id' } as const;

/** Prefixes of the IDs of records with a known outcome. No other IDs have them. */
const sureIds = fc
  .tuple(fc.nat(100_000), soundText(limits.developerIdLength - 20))
  .map(([n, tail]) => `sure-${n}-${tail}`);

const optional = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<Fields> =>
  fc.oneof(
    fc.constant([]),
    value.map((text) => [[name, text] as const]),
  );

const ts = fc.oneof(
  fc.integer({ min: 0, max: Date.now() + limits.eventAheadMs }).map(String),
  fc.constantFrom('0', '-0', '1.0', '1e3', '1E12'),
);
const eventValue = storableNumber.filter((text) => Number(text) >= 0 && Number(text) <= limits.eventValueMax);

const fieldsOf = (kind: DatasetKind): fc.Arbitrary<Fields> => {
  const id = sureIds.map((text) => [[idFields[kind], JSON.stringify(text)] as const]);
  if (kind !== 'event') {
    return fc.tuple(id, optional('attributes', entityAttributes)).map((parts) => parts.flat());
  }
  const text = (name: string, max: number) => json(soundText(max)).map((value) => [[name, value] as const]);
  return fc
    .tuple(
      id,
      text('user_id', limits.developerIdLength),
      text('item_id', limits.developerIdLength),
      ts.map((value) => [['ts', value] as const]),
      text('event_type', limits.eventTypeLength),
      optional('event_value', eventValue),
      optional('attributes', eventAttributes),
    )
    .map((parts) => parts.flat());
};

const bytesOf = (kind: DatasetKind) => (kind === 'event' ? limits.eventBytes : limits.userOrItemBytes);

const fits = (kind: DatasetKind) => (fields: Fields) =>
  Buffer.byteLength(JSON.stringify(JSON.parse(objectJson(fields)))) <= bytesOf(kind);

const goodRecord = (kind: DatasetKind): fc.Arbitrary<SentRecord> =>
  fieldsOf(kind)
    .filter(fits(kind))
    .map((fields) => ({ json: objectJson(fields), succeeds: true }));

const badAttributes = (kind: DatasetKind) => [
  '{"a":"\\u0000"}',
  '{"a":["x","\\ud800"]}',
  '{"\\u0000":1}',
  '{"a":1e999}',
  '{"a":[-1e999]}',
  `{"a":${nestedJson(limits.attributeDepth, '[')}}`,
  nestedJson(limits.attributeDepth + 1, '{'),
  `{"a":${nestedJson(100_000, '[')}}`,
  `{"a":"${'x'.repeat(bytesOf(kind))}"}`,
  '[]',
  '"{}"',
];
const badTexts = [
  '""',
  'null',
  '1',
  '{}',
  '"a\\u0000"',
  '"a\\u001f"',
  '"\\u0085"',
  '"\\udc00"',
  `"${'a'.repeat(257)}"`,
];

/** A valid record with one error. Its ID is unique in the call. */
const badRecord = (kind: DatasetKind): fc.Arbitrary<SentRecord> => {
  const spoilt: fc.Arbitrary<readonly [string, string]>[] = [
    fc.constantFrom(...badAttributes(kind)).map((value) => ['attributes', value] as const),
    fc.constantFrom('__proto__', 'constructor', 'Event_id', '').map((name) => [name, '1'] as const),
  ];
  if (kind === 'event') {
    spoilt.push(
      fc.tuple(fc.constantFrom('user_id', 'item_id', 'event_type'), fc.constantFrom(...badTexts)),
      fc
        .constantFrom('-1', '0.5', '1e999', '1E15', '8640000000000001', '"1"', 'null')
        .map((value) => ['ts', value] as const),
      fc
        .constantFrom('-1', '1e13', '1e999', '-5e-324', '"1"')
        .map((value) => ['event_value', value] as const),
    );
  }
  return fc.tuple(fieldsOf(kind), fc.oneof(...spoilt)).map(([fields, wrong]) => ({
    json: objectJson([...fields.filter(([name]) => name !== wrong[0]), wrong]),
    succeeds: false,
  }));
};

/** Anything, including records with the right fields and any values, and repeated IDs. */
const wildRecord = (kind: DatasetKind): fc.Arbitrary<SentRecord> => {
  const names =
    kind === 'event'
      ? ['user_id', 'item_id', 'ts', 'event_type', 'event_value', 'attributes']
      : ['attributes'];
  const id = json(fc.oneof(anyText, fc.constantFrom('again', 'and again', '\ud800', 'a\0')));
  const fields = fc.array(fc.tuple(fc.constantFrom(...names), anyJson), { maxLength: 7 });
  const withId = fc.tuple(id, fields).map(([value, rest]) => objectJson([[idFields[kind], value], ...rest]));
  const changed = fc
    .tuple(id, fieldsOf(kind), fields)
    .map(([value, good, rest]) => objectJson([...good, [idFields[kind], value], ...rest]));
  return fc.oneof(withId, changed, anyJson).map((text) => ({ json: text, succeeds: undefined }));
};

export const anyRecord = (kind: DatasetKind): fc.Arbitrary<SentRecord> =>
  fc.oneof(goodRecord(kind), badRecord(kind), wildRecord(kind));
