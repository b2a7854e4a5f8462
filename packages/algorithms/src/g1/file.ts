import { crc32 } from '../checksum.ts';
import type { G1Model } from './model.ts';

/**
 * A model in one piece:
 *
 *     "TGG1" · version u32 · CRC-32 of all that follows u32 · length of the header u32 · header (JSON) · arrays
 *
 * little-endian, each array at a multiple of 8 bytes in the order of `sections`, so that a reader can look at them in
 * place.
 */
const magic = 0x31474754;
const version = 1;
const prefixBytes = 16;

const sections = {
  offsets: Uint32Array,
  target: Uint32Array,
  rowScale: Float32Array,
  popularity: Float32Array,
  value: Int8Array,
} as const;

type Section = keyof typeof sections;
const names = Object.keys(sections) as Section[];

interface Header extends Pick<G1Model, 'parameters' | 'items' | 'attributes' | 'eventScale'> {
  readonly lengths: Record<Section, number>;
}

/** What is wrong with a file that is not a model. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
}

const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8;

export function encodeModel(model: G1Model): ArrayBuffer {
  const { parameters, items, attributes, eventScale } = model;
  const lengths = Object.fromEntries(names.map((name) => [name, model[name].length])) as Header['lengths'];
  const header: Header = { parameters, items, attributes, eventScale, lengths };
  const text = new TextEncoder().encode(JSON.stringify(header));
  let size = aligned(prefixBytes + text.length);
  const places = names.map((name) => {
    const place = size;
    size += aligned(model[name].byteLength);
    return place;
  });
  const bytes = new Uint8Array(size);
  bytes.set(text, prefixBytes);
  for (const [index, name] of names.entries()) {
    const { buffer, byteOffset, byteLength } = model[name];
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), places[index]);
  }
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, version, true);
  view.setUint32(12, text.length, true);
  view.setUint32(8, crc32(bytes.subarray(12)), true);
  return bytes.buffer;
}

/** Reads in place: the model's arrays are views of `file`. Refuses what it does not know whole. */
export function decodeModel(file: ArrayBufferLike): G1Model {
  if (file.byteLength < prefixBytes) throw new ModelFileError('The file is too short to be a model');
  const view = new DataView(file);
  if (view.getUint32(0, true) !== magic) throw new ModelFileError('The file is not a G1 model');
  const found = view.getUint32(4, true);
  if (found !== version)
    throw new ModelFileError(`The model has version ${found}; this release reads version ${version}`);
  if (view.getUint32(8, true) !== crc32(new Uint8Array(file, 12)))
    throw new ModelFileError('The model is damaged: its checksum does not match');
  const length = view.getUint32(12, true);
  // Copied, because a decoder of text does not read shared memory.
  const text = new TextDecoder().decode(new Uint8Array(file, prefixBytes, length).slice());
  const { lengths, ...rest } = JSON.parse(text) as Header;
  let place = aligned(prefixBytes + length);
  const take = <Name extends Section>(name: Name) => {
    const from = place;
    place += aligned(lengths[name] * sections[name].BYTES_PER_ELEMENT);
    return [file, from, lengths[name]] as const;
  };
  return {
    ...rest,
    offsets: new Uint32Array(...take('offsets')),
    target: new Uint32Array(...take('target')),
    rowScale: new Float32Array(...take('rowScale')),
    popularity: new Float32Array(...take('popularity')),
    value: new Int8Array(...take('value')),
  };
}
