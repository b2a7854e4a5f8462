import { docstring, isIdentifier, pascalCase } from './text.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Translates schemas to Python types, and collects the declarations that they need. */
export class SchemaTypes {
  readonly #declarations = new Map<string, string>();

  /** Declares a named schema: a TypedDict, or an alias. */
  declare(name: string, schema: Schema): void {
    if (schema.properties) {
      this.#declareClass(name, schema);
      return;
    }
    const comment = schema.description === undefined ? '' : docstring('', [schema.description]);
    const type = this.annotation(schema, name);
    // Quoted, because it may name types that are declared further down.
    const value = schema.enum ? type : `"${type.replaceAll('"', "'")}"`;
    this.#declarations.set(name, `${name}: TypeAlias = ${value}\n${comment}`);
  }

  /** `name` is that of the class if the schema is an object without a name of its own. */
  annotation(schema: Schema, name: string): string {
    const { $ref, type, anyOf, allOf, items, additionalProperties } = schema;
    if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
    if (anyOf) return unionOf(anyOf.map((part) => this.annotation(part, name)));
    if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
    // An item with one field per attribute. Python's types cannot say "item_id is text, any other field an attribute".
    if (allOf) return 'dict[str, Any]';
    if (items) return `list[${this.annotation(items, `${name}Entry`)}]`;
    if (schema.properties) {
      this.#declareClass(name, schema);
      return name;
    }
    if (type === 'object')
      return typeof additionalProperties === 'object'
        ? `dict[str, ${this.annotation(additionalProperties, `${name}Value`)}]`
        : 'dict[str, Any]';
    return type === undefined ? 'Any' : (scalars[type] ?? 'Any');
  }

  names(): string[] {
    return [...this.#declarations.keys()];
  }

  toString(): string {
    return [...this.#declarations.values()].join('\n\n');
  }

  #declareClass(name: string, { properties = {}, required = [], description }: Schema): void {
    // Reserves its place, before the classes of its fields are declared.
    this.#declarations.set(name, '');
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.annotation(schema, name + pascalCase(field));
      return { field, type: required.includes(field) ? type : `NotRequired[${type}]`, schema };
    });
    const about = description === undefined ? [] : [docstring('    ', [description])];
    const declaration = fields.every(({ field }) => isIdentifier(field))
      ? [
          `class ${name}(TypedDict):\n`,
          ...about,
          ...fields.map(
            ({ field, type, schema }) =>
              `    ${field}: ${type}\n${schema.description === undefined ? '' : docstring('    ', [schema.description])}`,
          ),
        ]
      : [
          // A class cannot have a field with the name of a keyword.
          `${name} = TypedDict(\n    "${name}",\n    {\n`,
          ...fields.map(({ field, type }) => `        "${field}": ${JSON.stringify(type)},\n`),
          '    },\n)\n',
        ];
    this.#declarations.set(name, declaration.join(''));
  }
}

function unionOf(types: readonly string[]): string {
  const parts = new Set(types.flatMap((type) => type.split(' | ')));
  return [...parts].join(' | ');
}
