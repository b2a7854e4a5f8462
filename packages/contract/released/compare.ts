/** A JSON Schema as OpenAPI 3.1 has it, as far as our contract uses it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly [kind: string]: Readonly<Record<string, unknown>> };
}

/** What a client sends, or what it gets: a request may only be widened, and a response only narrowed. */
type Direction = 'request' | 'response';

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

const annotations = ['description', 'title', 'default', 'example', 'examples', 'deprecated', 'readOnly'];
const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const types = ['$ref', 'type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'items', 'pattern', 'format'];
const fields = ['properties', 'required', 'additionalProperties', 'propertyNames'];
const known: ReadonlySet<string> = new Set([annotations, lowerBounds, upperBounds, types, fields].flat());

/**
 * What would break a client of the old API on the new one, one line each: an operation or a field of a response that is gone,
 * a field that became required, an enum or a limit that became narrower, a type that changed. A schema with a name is reported
 * once, under that name, however many operations use it.
 */
export function breakingChanges(old: OpenApi, current: OpenApi): string[] {
  const changes = new Set<string>();
  const comparison = new Comparison(old, current, (change) => changes.add(change));
  for (const [path, methods] of Object.entries(old.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const counterpart = current.paths[path]?.[method];
      if (counterpart === undefined) changes.add(`${name}: removed`);
      else comparison.compareOperations(name, operation as Operation, counterpart as Operation);
    }
  return [...changes].toSorted();
}

class Comparison {
  readonly #old: OpenApi;
  readonly #current: OpenApi;
  readonly #report: (change: string) => void;
  /** Pairs of schemas by name that were compared already; types may contain themselves. */
  readonly #compared = new Set<string>();

  constructor(old: OpenApi, current: OpenApi, report: (change: string) => void) {
    this.#old = old;
    this.#current = current;
    this.#report = report;
  }

  compareOperations(name: string, old: Operation, current: Operation): void {
    this.#compareParameters(name, old.parameters ?? [], current.parameters ?? []);
    const [oldBody, currentBody] = [
      resolve(this.#old, old.requestBody) as Body | undefined,
      resolve(this.#current, current.requestBody) as Body | undefined,
    ];
    if (currentBody?.required && !oldBody?.required) this.#report(`${name}: its body is required now`);
    if (oldBody) this.#compareBodies(`${name} request`, oldBody, currentBody, 'request');
    for (const [status, response] of Object.entries(old.responses ?? {})) {
      if (!status.startsWith('2')) continue;
      const counterpart = resolve(this.#current, current.responses?.[status]) as Body | undefined;
      if (counterpart)
        this.#compareBodies(
          `${name} ${status}`,
          resolve(this.#old, response) as Body,
          counterpart,
          'response',
        );
      else this.#report(`${name}: status ${status} removed`);
    }
  }

  #compareParameters(name: string, old: readonly unknown[], current: readonly unknown[]): void {
    const before = old.map((one) => resolve(this.#old, one) as Parameter);
    const after = current.map((one) => resolve(this.#current, one) as Parameter);
    const find = (all: readonly Parameter[], { name: named, in: place }: Parameter) =>
      all.find((one) => one.name === named && one.in === place);
    for (const parameter of before) {
      const counterpart = find(after, parameter);
      const where = `${name} ${parameter.in} ${parameter.name}`;
      if (!counterpart) this.#report(`${where}: removed`);
      else this.#compare(where, parameter.schema, counterpart.schema, 'request');
    }
    for (const parameter of after)
      if (parameter.required && !find(before, parameter)?.required)
        this.#report(`${name} ${parameter.in} ${parameter.name}: required now`);
  }

  #compareBodies(where: string, old: Body, current: Body | undefined, direction: Direction): void {
    for (const [type, { schema }] of Object.entries(old.content ?? {})) {
      const counterpart = current?.content?.[type];
      if (!counterpart) this.#report(`${where}: ${type} removed`);
      else if (schema && counterpart.schema) this.#compare(where, schema, counterpart.schema, direction);
    }
  }

  #compare(where: string, old: Schema, current: Schema, direction: Direction): void {
    const before = variantsOf(this.#old, old);
    const after = variantsOf(this.#current, current);
    const [narrow, wide] = direction === 'request' ? [before, after] : [after, before];
    // Each variant that was accepted must still be; each that may be returned must have been possible.
    for (const variant of narrow) {
      const pairs = wide.map(
        (other) => (direction === 'request' ? [variant, other] : [other, variant]) as Pair,
      );
      this.#reportNearest(where, variant, pairs, direction);
    }
  }

  /** One pair without a change is enough. Otherwise the changes of the one that was probably meant. */
  #reportNearest(where: string, variant: Variant, pairs: readonly Pair[], direction: Direction): void {
    const findings = pairs.map((pair) => ({ pair, changes: this.#changesOf(where, pair, direction) }));
    if (findings.some(({ changes }) => changes.length === 0)) return;
    const [nearest] = findings
      .filter(({ pair: [old, current] }) => kindOf(old.schema) === kindOf(current.schema))
      .toSorted((one, other) => one.changes.length - other.changes.length);
    const what = direction === 'request' ? 'is no longer accepted' : 'may be returned now';
    const changes = nearest?.changes ?? [`${where}: ${kindOf(variant.schema)} ${what}`];
    for (const change of changes) this.#report(change);
  }

  #changesOf(where: string, [old, current]: Pair, direction: Direction): string[] {
    const pair = `${direction} ${old.name} ${current.name}`;
    const isNamed = old.name !== undefined && current.name !== undefined;
    if (isNamed && this.#compared.has(pair)) return [];
    const changes: string[] = [];
    const inner = new Comparison(this.#old, this.#current, (change) => changes.push(change));
    for (const one of this.#compared) inner.#compared.add(one);
    if (isNamed) inner.#compared.add(pair);
    const [name] = current.name?.split('|') ?? [];
    inner.#compareOne(
      name === undefined ? where : `${direction} ${name}`,
      old.schema,
      current.schema,
      direction,
    );
    return changes;
  }

  #compareOne(where: string, old: Schema, current: Schema, direction: Direction): void {
    this.#compareTypes(where, old, current, direction);
    this.#compareEnums(where, old, current, direction);
    if (direction === 'request') this.#compareLimits(where, old, current);
    this.#compareFields(where, old, current, direction);
    for (const keyword of ['items', 'additionalProperties', 'propertyNames']) {
      const [before, after] = [old[keyword], current[keyword]];
      const inner = `${where}${keyword === 'items' ? '[]' : `.${keyword}`}`;
      if (isSchema(before) && isSchema(after)) this.#compare(inner, before, after, direction);
      else if (direction === 'request' && isNarrower(before, after)) this.#report(`${inner}: narrower`);
    }
  }

  #compareTypes(where: string, old: Schema, current: Schema, direction: Direction): void {
    const [before, after] = [typeOf(old), typeOf(current)];
    const [narrow, wide] = direction === 'request' ? [before, after] : [after, before];
    if (narrow === wide || wide === 'any' || (narrow === 'integer' && wide === 'number')) return;
    this.#report(`${where}: type changed from ${before} to ${after}`);
  }

  /** New values in responses are fine: clients must expect them. */
  #compareEnums(where: string, old: Schema, current: Schema, direction: Direction): void {
    const [before, after] = [valuesOf(old), valuesOf(current)];
    if (!before && !after) return;
    if (!before) {
      if (direction === 'request') this.#report(`${where}: limited to ${after?.join(', ')}`);
    } else if (!after) {
      if (direction === 'response') this.#report(`${where}: no longer limited to ${before.join(', ')}`);
    } else {
      const gone = before.filter((value) => !after.includes(value));
      if (gone.length > 0) this.#report(`${where}: ${gone.join(', ')} removed`);
    }
  }

  #compareLimits(where: string, old: Schema, current: Schema): void {
    const check = (keyword: string, isNarrowed: (before: number, after: number) => boolean) => {
      const [before, after] = [limitOf(old, keyword), limitOf(current, keyword)];
      if (after === undefined || (before !== undefined && !isNarrowed(before, after))) return;
      this.#report(`${where}: ${keyword} changed from ${before ?? 'none'} to ${after}`);
    };
    for (const keyword of lowerBounds) check(keyword, (before, after) => after > before);
    for (const keyword of upperBounds) check(keyword, (before, after) => after < before);
    for (const keyword of ['pattern', 'format'])
      if (current[keyword] !== undefined && textOf(old, keyword) !== textOf(current, keyword))
        this.#report(`${where}: ${keyword} changed`);
  }

  #compareFields(where: string, old: Schema, current: Schema, direction: Direction): void {
    const [before, after] = [fieldsOf(old), fieldsOf(current)];
    const [required, requiredBefore] = [requiredOf(current), requiredOf(old)];
    for (const [name, field] of Object.entries(before)) {
      const inner = `${where}.${name}`;
      const counterpart = after[name];
      if (counterpart) this.#compare(inner, field, counterpart, direction);
      else if (direction === 'response' || current['additionalProperties'] === false)
        this.#report(`${inner}: removed`);
      if (direction === 'response' && counterpart && requiredBefore.has(name) && !required.has(name))
        this.#report(`${inner}: may be absent now`);
    }
    if (direction === 'response') return;
    for (const name of required)
      if (!requiredBefore.has(name)) this.#report(`${where}.${name}: required now`);
  }
}

/** One of the alternatives of a schema, and its name, if it has one: types may contain themselves. */
interface Variant {
  readonly schema: Schema;
  readonly name: string | undefined;
}
type Pair = readonly [old: Variant, current: Variant];

/** The alternatives of a schema; most have one. */
function variantsOf(document: OpenApi, given: Schema, name = nameOf(given)): Variant[] {
  const schema = resolve(document, given) as Schema;
  const unknown = Object.keys(schema).find((keyword) => !known.has(keyword) && !keyword.startsWith('x-'));
  if (unknown !== undefined) throw new Error(`The comparison does not know the keyword ${unknown}.`);
  const part = (index: number) => (name === undefined ? undefined : `${name}|${index}`);
  const { anyOf, oneOf, allOf, type, ...rest } = schema;
  if (Array.isArray(allOf)) {
    const parts = (allOf as Schema[]).flatMap((one) =>
      variantsOf(document, one).map((variant) => variant.schema),
    );
    return [{ schema: mergeAll([type === undefined ? rest : { ...rest, type }, ...parts]), name }];
  }
  const alternatives = (anyOf ?? oneOf) as Schema[] | undefined;
  if (alternatives)
    return alternatives.flatMap((one, index) => variantsOf(document, one, nameOf(one) ?? part(index)));
  if (Array.isArray(type))
    return (type as string[]).map((one, index) => ({ schema: { ...rest, type: one }, name: part(index) }));
  return [{ schema, name }];
}

function resolve(document: OpenApi, part: unknown): unknown {
  const reference = (part as Schema | undefined)?.['$ref'];
  if (typeof reference !== 'string') return part;
  const [, , kind = '', name = ''] = reference.split('/');
  const found = document.components?.[kind]?.[name];
  if (found === undefined) throw new Error(`${reference} does not exist.`);
  return resolve(document, found);
}

function mergeAll(parts: readonly Schema[]): Schema {
  return parts.reduce((merged, part) => ({
    ...merged,
    ...part,
    properties: { ...fieldsOf(merged), ...fieldsOf(part) },
    required: [...requiredOf(merged), ...requiredOf(part)],
  }));
}

const nameOf = (schema: Schema) => (schema['$ref'] as string | undefined)?.split('/').at(-1);
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const fieldsOf = (schema: Schema) => (schema['properties'] ?? {}) as Record<string, Schema>;
const requiredOf = (schema: Schema) => new Set((schema['required'] ?? []) as string[]);
const isNarrower = (before: unknown, after: unknown) =>
  after !== undefined && after !== true && before !== false && before !== after;

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
}

function typeOf(schema: Schema): string {
  const [value] = valuesOf(schema) ?? [];
  return (schema['type'] as string | undefined) ?? (value === undefined ? 'any' : typeof value);
}

/** Variants of the same kind are compared with each other: by type, and by the field that names the variant. */
function kindOf(schema: Schema): string {
  const names = Object.entries(fieldsOf(schema)).flatMap(([name, field]) =>
    'const' in field ? [`${name}=${String(field['const'])}`] : [],
  );
  return [typeOf(schema), ...names].join(' ');
}

/** Our patterns for texts end with their length, as in `{1,200}$`: a longer text is not another pattern. */
const lengthAtEnd = /\{(\d+),(\d+)\}\$$/;

function limitOf(schema: Schema, keyword: string): number | undefined {
  const given = schema[keyword];
  if (typeof given === 'number') return given;
  const [, min, max] = lengthAtEnd.exec((schema['pattern'] as string | undefined) ?? '') ?? [];
  if (keyword === 'minLength' && min !== undefined) return Number(min);
  return keyword === 'maxLength' && max !== undefined ? Number(max) : undefined;
}

function textOf(schema: Schema, keyword: string): string | undefined {
  const text = schema[keyword] as string | undefined;
  return keyword === 'pattern' ? text?.replace(lengthAtEnd, '') : text;
}
