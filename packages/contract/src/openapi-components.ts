type Json = Record<string, unknown>;

/** What OpenAPI keeps once and refers to: named schemas, and the answers to errors. */
export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #responses = new Map<string, Json>();

  /** A copy of the schema in which every named one is a reference. */
  schema(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.schema(element));
    if (typeof value !== 'object' || value === null) return value;
    const { title, ...rest } = value as Json;
    const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, this.schema(inner)]));
    // A property may itself be called `title`: only a string there is a schema's name.
    if (typeof title !== 'string') return title === undefined ? copy : { title: this.schema(title), ...copy };
    this.#schemas.set(title, copy);
    return { $ref: `#/components/schemas/${title}` };
  }

  response(name: string, response: Json): Json {
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  toJSON(): Json {
    return { schemas: sorted(this.#schemas), responses: sorted(this.#responses) };
  }
}

/** By name: the order in which they came up would make every change a large one. */
function sorted(entries: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
