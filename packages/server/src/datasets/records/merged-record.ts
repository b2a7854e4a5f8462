type Fields = Record<string, unknown>;

/** Merges several changes of one record: the last value of each field and attribute wins, including null. */
export class MergedRecord {
  readonly #fields: Fields = {};
  // No prototype, so that `__proto__` is an ordinary name.
  readonly #attributes = Object.create(null) as Fields;
  readonly #attributeBytes = new Map<string, number>();
  #bytes = 0;

  add(record: Readonly<Fields>): void {
    Object.assign(this.#fields, record);
    const attributes = (record['attributes'] ?? {}) as Fields;
    Object.assign(this.#attributes, attributes);
    for (const name in attributes) {
      const bytes = name.length + Buffer.byteLength(JSON.stringify(attributes[name]));
      this.#bytes += bytes - (this.#attributeBytes.get(name) ?? 0);
      this.#attributeBytes.set(name, bytes);
    }
  }

  /**
   * A lower bound of the size of the attributes as JSON. Counted per change, because serializing a thousand merged changes
   * (up to 32 MiB) at once would take 100 ms.
   */
  get bytes(): number {
    return this.#bytes;
  }

  get fields(): Fields {
    return { ...this.#fields, attributes: this.#attributes };
  }
}
