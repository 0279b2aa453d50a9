import { randomFillSync } from 'node:crypto'

/** What is left of it from `used` on was never handed out. */
const supply = Buffer.alloc(4096)
let used = supply.length

/** Few random bytes, taken out of a supply: the system takes as long for sixteen as for thousands. */
export function fewRandomBytes(count: number): Buffer {
  if (used + count > supply.length) {
    randomFillSync(supply)
    used = 0
  }
  const bytes = Buffer.from(supply.subarray(used, used + count))
  // Nobody finds here later what was a key once.
  supply.fill(0, used, used + count)
  used += count
  return bytes
}
