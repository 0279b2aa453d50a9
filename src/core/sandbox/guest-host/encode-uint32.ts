/** Encodes a number as the guest reads it: four bytes, big-endian. */
export function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
