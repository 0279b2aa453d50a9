import { randomFillSync } from 'node:crypto'
import { randomSupply } from './process-state.ts'

/**
 * Random bytes from a buffered supply: the system call takes as long for sixteen as for thousands.
 */
export function takeRandomBytes(count: number): Buffer {
  const { bytes: supply } = randomSupply
  if (randomSupply.used + count > supply.length) {
    randomFillSync(supply)
    randomSupply.used = 0
  }
  const { used } = randomSupply
  const bytes = Buffer.from(supply.subarray(used, used + count))
  // Used bytes may be keys, so they are erased.
  supply.fill(0, used, used + count)
  randomSupply.used += count
  return bytes
}
