/** Written at once: small enough not to delay other work, large enough that 10,000 small parts are few chunks. */
const chunkLength = 64 * 1024;

/** A JSON value that is already text, in parts. It is sent as it is, without parsing it. */
export class JsonText {
  readonly #parts: readonly string[];

  constructor(...parts: readonly string[]) {
    this.#parts = parts;
  }

  /** The text in chunks. The chunk after a large part waits until that part is sent, so that no step takes long. */
  *chunks(): Generator<string, void> {
    let chunk = '';
    for (const part of this.#parts) {
      chunk += part;
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
}
