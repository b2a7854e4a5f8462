import { crc32 } from './checksum.ts';

/**
 * A file of named arrays behind a header, the same for every algorithm:
 *
 *     kind u32 · version u32 · length of the header u32 · 0 u32 · header (JSON) · arrays · CRC-32 of all before u32 · kind u32
 *
 * little-endian; the header and each array begin at a multiple of 8 bytes, so that a reader can look at them in place.
 * The checksum is at the end, so that a writer needs to see each byte once and holds no second copy of a model. What
 * arrays there are is fixed by kind and version; the header says how long each is.
 */
export interface FileKind<Arrays extends ArrayKinds> {
  /** Four letters, as a little-endian number. */
  readonly magic: number;
  /** Raised with every change of the layout: a reader knows one. */
  readonly version: number;
  readonly arrays: Arrays;
}

interface ArrayTypes {
  readonly u8: Uint8Array;
  readonly i8: Int8Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
}
type ArrayKinds = Readonly<Record<string, keyof ArrayTypes>>;
export type ArraysOf<Kinds extends ArrayKinds> = { readonly [Name in keyof Kinds]: ArrayTypes[Kinds[Name]] };

interface View<Type extends keyof ArrayTypes> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): ArrayTypes[Type];
}
const views: { readonly [Type in keyof ArrayTypes]: View<Type> } = {
  ...{ u8: Uint8Array, i8: Int8Array, u32: Uint32Array, f32: Float32Array },
};

/** What is wrong with a file that is not a model. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
}

const prefixBytes = 16;
/** Kind and version, which are all there is of a prefix that must be understood. */
const headBytes = 8;
const suffixBytes = 8;
/** A writer's piece: large enough that a disk or a network is busy with each, small beside any model. */
const blockBytes = 2 ** 20;

const padding = (bytes: number) => (8 - (bytes % 8)) % 8;

interface Envelope {
  readonly lengths: readonly number[];
  readonly header: unknown;
}

/** In pieces of at most a mebibyte, each in memory of its own that is not shared with threads. */
export function* writeContainer<Kinds extends ArrayKinds>(
  kind: FileKind<Kinds>,
  header: object,
  arrays: ArraysOf<Kinds>,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const parts = Object.keys(kind.arrays).map((name) => arrays[name]!);
  const envelope: Envelope = { lengths: parts.map(({ length }) => length), header };
  const text = new TextEncoder().encode(JSON.stringify(envelope));
  const prefix = new Uint32Array([kind.magic, kind.version, text.length, 0]);
  let checksum = 0;
  for (const { buffer, byteOffset, byteLength } of [prefix, text, ...parts]) {
    for (let from = 0; from < byteLength; from += blockBytes) {
      const length = Math.min(blockBytes, byteLength - from);
      const block = new Uint8Array(length + (from + length === byteLength ? padding(byteLength) : 0));
      block.set(new Uint8Array(buffer, byteOffset + from, length));
      checksum = crc32(block, checksum);
      yield block;
    }
  }
  yield new Uint8Array(new Uint32Array([checksum, kind.magic]).buffer);
}

/** Throws unless a file that begins so (8 bytes tell) is of the kind, and of the version that this release reads. */
export function checkHead({ magic, version }: FileKind<ArrayKinds>, beginning: Uint8Array): void {
  if (beginning.length < headBytes) throw new ModelFileError('The file is too short to be a model');
  const view = new DataView(beginning.buffer, beginning.byteOffset, headBytes);
  if (view.getUint32(0, true) !== magic) throw new ModelFileError('The file is not a model of this kind');
  const found = view.getUint32(4, true);
  if (found !== version)
    throw new ModelFileError(`The model has version ${found}; this release reads version ${version}`);
}

export interface ReadOptions {
  /** It was read before, in this memory, and found sound: what takes long is not looked at again. */
  readonly isChecked?: boolean;
}

/** The arrays are views of `file` (of a copy, if it does not begin at a multiple of 8 bytes). */
export function readContainer<Kinds extends ArrayKinds>(
  kind: FileKind<Kinds>,
  file: Uint8Array,
  { isChecked = false }: ReadOptions = {},
): { header: unknown; arrays: ArraysOf<Kinds> } {
  checkHead(kind, file);
  if (file.length < prefixBytes + suffixBytes)
    throw new ModelFileError('The model is cut off: its end is missing');
  const { buffer, byteOffset: start } = file.byteOffset % 8 === 0 ? file : file.slice();
  const view = new DataView(buffer, start, file.length);
  const word = (place: number) => view.getUint32(place, true);
  const end = file.length - suffixBytes;
  if (word(end + 4) !== kind.magic) throw new ModelFileError('The model is cut off: its end is missing');
  if (!isChecked && word(end) !== crc32(file.subarray(0, end)))
    throw new ModelFileError('The model is damaged: its checksum does not match');

  const headerEnd = prefixBytes + word(8);
  const names = Object.keys(kind.arrays);
  const envelope = parseEnvelope(file.subarray(prefixBytes, Math.min(headerEnd, end)));
  if (envelope?.lengths.length !== names.length) throw new ModelFileError('The model has another header');
  let place = headerEnd + padding(headerEnd);
  const arrays = names.map((name, index) => {
    const Kind = views[kind.arrays[name]!];
    const length = envelope.lengths[index]!;
    const from = place;
    place += length * Kind.BYTES_PER_ELEMENT;
    place += padding(place);
    if (!(length >= 0) || place > end) throw new ModelFileError(`The model's ${name} do not fit into it`);
    return [name, new Kind(buffer, start + from, length)] as const;
  });
  if (place !== end) throw new ModelFileError('The model has more in it than its header says');
  return { header: envelope.header, arrays: Object.fromEntries(arrays) as ArraysOf<Kinds> };
}

function parseEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    // Copied, because a decoder of text does not read shared memory.
    const parsed = JSON.parse(new TextDecoder().decode(bytes.slice())) as Partial<Envelope> | null;
    const lengths = parsed?.lengths;
    if (!Array.isArray(lengths) || !lengths.every(Number.isSafeInteger)) return undefined;
    return { lengths: lengths as number[], header: parsed?.header };
  } catch {
    return undefined;
  }
}
