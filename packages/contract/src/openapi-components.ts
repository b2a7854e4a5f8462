type Json = Record<string, unknown>;

/** The shared components of the OpenAPI document: named schemas and error responses. */
export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #responses = new Map<string, Json>();

  /** Copies the schema, replacing every named schema by a reference. */
  schema(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.schema(element));
    if (typeof value !== 'object' || value === null) return value;
    const { title, ...rest } = value as Json;
    const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, this.schema(inner)]));
    // A property may be called `title`: only a string is the name of a schema.
    if (typeof title !== 'string') return title === undefined ? copy : { title: this.schema(title), ...copy };
    this.#schemas.set(title, copy);
    return { $ref: `#/components/schemas/${title}` };
  }

  response(name: string, response: Json): Json {
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  toJSON(): Json {
    return { schemas: sortByName(this.#schemas), responses: sortByName(this.#responses) };
  }
}

/** Sorts by name, so that a small change makes a small diff. */
function sortByName(entries: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
