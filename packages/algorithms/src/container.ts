/**
 * A file of named arrays behind a header, the same for every algorithm:
 *
 *     kind u32 · version u32 · length of the header u32 · 0 u32 · header (JSON) · arrays · CRC-32 of all before u32 ·
 *     kind u32
 *
 * Little-endian. The header and each array begin at a multiple of 8 bytes, so that they can be read in place. The
 * checksum is at the end, so that a writer sees each byte once and needs no second copy of the model. Kind and version
 * determine which arrays there are; the header gives their lengths.
 */
export interface FileKind<Arrays extends ArrayKinds> {
  /** Four letters, as a little-endian number. */
  readonly magic: number;
  /** The newest version, raised with every change of the layout. */
  readonly version: number;
  /** The oldest version that is still read; by default, only `version` is. */
  readonly oldest?: number;
  /** In the order of the file. */
  readonly arrays: Arrays;
  /**
   * Arrays that versions after the oldest added, with the version that added each. They are empty in a file of an earlier
   * version. A file in which they are all empty is written in the earlier version, for releases that read no other.
   */
  readonly since?: Readonly<Partial<Record<keyof Arrays, number>>>;
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
  u8: Uint8Array,
  i8: Int8Array,
  u32: Uint32Array,
  f32: Float32Array,
};

/** The file is not a model that this release can read. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
}

const prefixBytes = 16;
/** Kind and version: enough to decide whether a file can be read. */
const headBytes = 8;
const suffixBytes = 8;
/** Size of the chunks written: large enough to keep a disk or network busy, small compared to any model. */
const blockBytes = 2 ** 20;

const padding = (bytes: number) => (8 - (bytes % 8)) % 8;

interface Envelope {
  readonly lengths: readonly number[];
  readonly header: unknown;
}

/** In chunks of at most 1 MiB, each a copy in memory that is not shared with threads. */
export function* writeContainer<Kinds extends ArrayKinds>(
  kind: FileKind<Kinds>,
  header: object,
  arrays: ArraysOf<Kinds>,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const needed = Object.keys(kind.arrays).filter((name) => arrays[name]!.length > 0);
  const version = Math.max(oldestOf(kind), ...needed.map((name) => sinceOf(kind, name)));
  const parts = namesIn(kind, version).map((name) => arrays[name]!);
  const envelope: Envelope = { lengths: parts.map(({ length }) => length), header };
  const text = new TextEncoder().encode(JSON.stringify(envelope));
  const prefix = new Uint32Array([kind.magic, version, text.length, 0]);
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

/** The first bytes of a file that are enough to locate its arrays: headers are far smaller than this. */
export const placesBytes = 64 * 1024;

/** The byte range of each array in a file of `size` bytes with this beginning, to read only some of them. */
export function readPlaces<Kinds extends ArrayKinds>(
  kind: FileKind<Kinds>,
  beginning: Uint8Array,
  size: number,
): Record<keyof Kinds, { from: number; length: number }> {
  const version = checkHead(kind, beginning);
  if (beginning.length < prefixBytes) throw new ModelFileError('The model is cut off: its end is missing');
  const view = new DataView(beginning.buffer, beginning.byteOffset, prefixBytes);
  const headerEnd = prefixBytes + view.getUint32(8, true);
  const envelope = parseEnvelope(beginning.subarray(prefixBytes, headerEnd));
  const names = namesIn(kind, version);
  if (envelope?.lengths.length !== names.length) throw new ModelFileError('The model has another header');
  let place = headerEnd + padding(headerEnd);
  const places = names.map((name, index) => {
    const from = place;
    const length = envelope.lengths[index]! * views[kind.arrays[name]!].BYTES_PER_ELEMENT;
    place += length + padding(from + length);
    return [name, { from, length }] as const;
  });
  if (place + suffixBytes !== size)
    throw new ModelFileError('The model has another length than its header says');
  return Object.fromEntries(places) as Record<keyof Kinds, { from: number; length: number }>;
}

/** The magic number that a file begins with. */
export function magicOf(beginning: Uint8Array): number {
  return readHead(beginning).getUint32(0, true);
}

/** Which versions of a kind of file can be read. */
export type FileVersions = Pick<FileKind<ArrayKinds>, 'magic' | 'version' | 'oldest'>;

const oldestOf = ({ version, oldest = version }: FileVersions) => oldest;

const sinceOf = <Kinds extends ArrayKinds>(kind: FileKind<Kinds>, name: keyof Kinds) =>
  kind.since?.[name] ?? oldestOf(kind);

/** The arrays in a file of this version. */
const namesIn = <Kinds extends ArrayKinds>(kind: FileKind<Kinds>, version: number): string[] =>
  Object.keys(kind.arrays).filter((name) => sinceOf(kind, name) <= version);

/** The version of a file with these first 8 bytes or more. Throws unless this release reads its kind and version. */
export function checkHead(versions: FileVersions, beginning: Uint8Array): number {
  const { magic, version } = versions;
  const oldest = oldestOf(versions);
  const view = readHead(beginning);
  if (view.getUint32(0, true) !== magic) throw new ModelFileError('The file is not a model of this kind');
  const found = view.getUint32(4, true);
  if (found < oldest || found > version)
    throw new ModelFileError(
      `The model has version ${found}; this release reads ${oldest < version ? `versions ${oldest} to` : 'version'} ${version}`,
    );
  return found;
}

function readHead(beginning: Uint8Array): DataView {
  if (beginning.length < headBytes) throw new ModelFileError('The file is too short to be a model');
  return new DataView(beginning.buffer, beginning.byteOffset, headBytes);
}

export interface ReadOptions {
  /** The same memory was already read and found valid, so the slow checks are skipped. */
  readonly isChecked?: boolean;
}

/** The arrays are views of `file` (of a copy, if it does not begin at a multiple of 8 bytes). */
export function readContainer<Kinds extends ArrayKinds>(
  kind: FileKind<Kinds>,
  file: Uint8Array,
  { isChecked = false }: ReadOptions = {},
): { header: unknown; arrays: ArraysOf<Kinds> } {
  const version = checkHead(kind, file);
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
  const names = namesIn(kind, version);
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
  const later = Object.keys(kind.arrays).map(
    (name) => [name, new views[kind.arrays[name]!](buffer, start, 0)] as const,
  );
  return { header: envelope.header, arrays: Object.fromEntries([...later, ...arrays]) as ArraysOf<Kinds> };
}

function parseEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    // Copied because TextDecoder does not accept shared memory.
    const parsed = JSON.parse(new TextDecoder().decode(bytes.slice())) as Partial<Envelope> | null;
    const lengths = parsed?.lengths;
    if (!Array.isArray(lengths) || !lengths.every(Number.isSafeInteger)) return undefined;
    return { lengths: lengths as number[], header: parsed?.header };
  } catch {
    return undefined;
  }
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 as in gzip: detects damage by a disk or a network, not an attacker. `before`: the result for the chunk before. */
function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (let index = 0; index < bytes.length; index++)
    value = table[(value ^ bytes[index]!) & 0xff]! ^ (value >>> 8);
  return ~value >>> 0;
}
