/** The part of the WebAssembly API used here; neither Node's types nor our `lib` declare it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (code: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { env: { memory: SharedMemory } },
  ) => { readonly exports: Record<string, unknown> };
};

/** A WebAssembly memory, shared with the threads that it is sent to. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

const pageBytes = 65536;
/** 4 GiB, all that 32-bit addresses reach. Memory is taken only as it grows. */
const maximumPages = 65536;

/** Vectors of four numbers are read fastest at such addresses. */
const alignment = 16;
const align = (address: number) => Math.ceil(address / alignment) * alignment;

/** Address 0 is reserved by the compiler. */
const firstAddress = alignment;

const newMemory = (): SharedMemory =>
  new WebAssembly.Memory({ initial: 1, maximum: maximumPages, shared: true });

/**
 * Memory for WebAssembly kernels. Arrays are placed one after the other and are not cleared. Reuse it for the next
 * kernel: shared memory is released only when every thread has collected its garbage, and a thread that creates none
 * may never do that.
 */
export class KernelMemory {
  #memory = newMemory();
  /** Where the next array goes. */
  end = firstAddress;

  get memory(): SharedMemory {
    return this.#memory;
  }

  /** Forgets all arrays; the memory stays allocated. */
  clear(): void {
    this.end = firstAddress;
  }

  /** Gives the memory up for a new one. `Executor.release` frees it. */
  replace(): void {
    this.#memory = newMemory();
    this.clear();
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
    this.end = align(address + bytes);
    growTo(this.memory, this.end);
    return address;
  }
}

/** Each thread's own scratch memory, after all placed arrays. */
export interface Scratch {
  readonly memory: SharedMemory;
  /** Address of the counter of threads that have claimed scratch memory. */
  readonly claims: number;
  readonly scratch: number;
}

export function placeScratch(memory: KernelMemory): Scratch {
  const claims = memory.u32(1);
  claims[0] = 0;
  return { memory: memory.memory, claims: claims.byteOffset, scratch: memory.end };
}

/** Claims this many zeroed bytes for the calling thread. */
export function claimScratch({ memory, claims, scratch }: Scratch, bytes: number): number {
  const rounded = align(bytes);
  const claimed = Atomics.add(new Uint32Array(memory.buffer, claims, 1), 0, 1);
  const address = scratch + claimed * rounded;
  growTo(memory, address + rounded);
  new Uint8Array(memory.buffer, address, rounded).fill(0);
  return address;
}

/** If two threads grow it at the same time, the memory is larger than needed. */
function growTo(memory: SharedMemory, bytes: number): void {
  if (bytes > maximumPages * pageBytes)
    throw new RangeError(`A kernel would need ${bytes} bytes of memory, and reaches 4 GiB`);
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
  if (missing > 0) memory.grow(missing);
}

/** Places a copy of an array and returns its address. */
export function placeCopy(memory: KernelMemory, from: Uint32Array | Float32Array): number {
  const to = from instanceof Uint32Array ? memory.u32(from.length) : memory.f32(from.length);
  to.set(from);
  return to.byteOffset;
}

/** V8 switches to optimized code at the next call, never within one. Short calls let it switch early. */
const elementsPerCall = 64;

/** Compiled code is kept, because it runs unoptimized at first: a kernel that runs often stays fast. */
const modules = new Map<string, object>();

function moduleOf(code: string): object {
  const known = modules.get(code);
  if (known) return known;
  const compiled = new WebAssembly.Module(Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0)));
  modules.set(code, compiled);
  return compiled;
}

/** A kernel's function, compiled in each thread: code cannot be sent. Each call handles `elementsPerCall` elements. */
export function instantiate(
  code: string,
  memory: SharedMemory,
  name: string,
  rest: readonly number[],
): (from: number, to: number) => void {
  const { exports } = new WebAssembly.Instance(moduleOf(code), { env: { memory } });
  const call = exports[name] as (from: number, to: number, ...rest: number[]) => void;
  return (from, to) => {
    for (let start = from; start < to; start += elementsPerCall)
      call(start, Math.min(to, start + elementsPerCall), ...rest);
  };
}
