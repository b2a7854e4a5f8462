const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * CRC-32 (ISO 3309), as in gzip and PNG: detects damage by a disk or a network, not by an attacker. To checksum several
 * chunks, pass the result for the previous chunk as `before`.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (let index = 0; index < bytes.length; index++)
    value = table[(value ^ bytes[index]!) & 0xff]! ^ (value >>> 8);
  return ~value >>> 0;
}
