/** The part of WebAssembly's interface that is used here; neither Node's types nor our `lib` declare it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (code: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { env: { memory: SharedMemory } },
  ) => { readonly exports: Record<string, unknown> };
};

/** WebAssembly's memory; threads that are sent it see the same. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

const pageBytes = 65536;
/** All that addresses of 32 bits reach, 4 GiB. Only what is grown to is ever taken. */
const maximumPages = 65536;

/** Nothing is at 0, which the compiler keeps for itself. */
const firstAddress = 8;

/**
 * Memory for kernels in WebAssembly, in which arrays are placed one after the other, with whatever was there before. To
 * be used again for the next kernel: shared memory is given back when every thread has collected its garbage, which
 * threads that make none may never do.
 */
export class KernelMemory {
  readonly memory: SharedMemory = new WebAssembly.Memory({ initial: 1, maximum: maximumPages, shared: true });
  /** Where the next array goes. */
  end = firstAddress;

  /** Forgets the arrays. */
  clear(): void {
    this.end = firstAddress;
  }

  u32(length: number): Uint32Array<SharedArrayBuffer> {
    const address = this.#place(length * 4);
    return new Uint32Array(this.memory.buffer, address, length);
  }

  f32(length: number): Float32Array<SharedArrayBuffer> {
    const address = this.#place(length * 4);
    return new Float32Array(this.memory.buffer, address, length);
  }

  f64(length: number): Float64Array<SharedArrayBuffer> {
    const address = this.#place(length * 8);
    return new Float64Array(this.memory.buffer, address, length);
  }

  #place(bytes: number): number {
    const address = this.end;
    this.end = Math.ceil((address + bytes) / 8) * 8;
    growTo(this.memory, this.end);
    return address;
  }
}

/** Where each thread has scratch memory of its own: after everything that was placed. */
export interface Scratch {
  readonly memory: SharedMemory;
  /** How many threads have some. */
  readonly claims: number;
  readonly scratch: number;
}

export function placeScratch(memory: KernelMemory): Scratch {
  const claims = memory.u32(1);
  claims[0] = 0;
  return { memory: memory.memory, claims: claims.byteOffset, scratch: memory.end };
}

/** So many bytes, zero, for the thread that asks. */
export function claimScratch({ memory, claims, scratch }: Scratch, bytes: number): number {
  const rounded = Math.ceil(bytes / 8) * 8;
  const claimed = Atomics.add(new Uint32Array(memory.buffer, claims, 1), 0, 1);
  const address = scratch + claimed * rounded;
  growTo(memory, address + rounded);
  new Uint8Array(memory.buffer, address, rounded).fill(0);
  return address;
}

/** Should two threads ask at once, there is more than either needs. */
function growTo(memory: SharedMemory, bytes: number): void {
  if (bytes > maximumPages * pageBytes)
    throw new RangeError(`A kernel would need ${bytes} bytes of memory, and reaches 4 GiB`);
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
  if (missing > 0) memory.grow(missing);
}

/** Places a copy of an array, and answers its address. */
export function placeCopy(memory: KernelMemory, from: Uint32Array | Float32Array): number {
  const to = from instanceof Uint32Array ? memory.u32(from.length) : memory.f32(from.length);
  to.set(from);
  return to.byteOffset;
}

/** V8 compiles in haste first, and takes the better code when it is ready: at the next call, never within one. */
const elementsPerCall = 64;

/** A kernel's function, compiled here: it is small, and code does not cross between threads. Called in short stretches. */
export function instantiate(
  code: string,
  memory: SharedMemory,
  name: string,
  rest: readonly number[],
): (from: number, to: number) => void {
  const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const call = exports[name] as (from: number, to: number, ...rest: number[]) => void;
  return (from, to) => {
    for (let start = from; start < to; start += elementsPerCall)
      call(start, Math.min(to, start + elementsPerCall), ...rest);
  };
}
