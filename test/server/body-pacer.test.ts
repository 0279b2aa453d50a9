import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBodyPacer } from '../../src/server/http/body-pacer.ts'

const CHUNK = 64 * 1024
const createBody = () => new IncomingMessage(new Socket()).resume()

/** Reads a chunk of each body that is not paused, after its beginning. */
function createReader() {
  const pacer = createBodyPacer()
  return (bodies: readonly IncomingMessage[], caller: string) => {
    const read = bodies.filter((each) => !each.isPaused())
    for (const each of read) pacer.count(each, { bytes: CHUNK, read: 2 * CHUNK, caller })
    return read.length
  }
}

describe('the pacer of bodies', () => {
  it('reads a bounded part of many bodies in one turn, and all of them in the end', async () => {
    const read = createReader()
    const bodies = Array.from({ length: 40 }, createBody)
    expect(read(bodies, 'flood')).toBe(40)
    const counts = new Map<IncomingMessage, number>()
    for (let turn = 0; turn < 20; turn++) {
      await nextTurn()
      for (const each of bodies) {
        if (!each.isPaused()) counts.set(each, (counts.get(each) ?? 0) + 1)
      }
      // The eight that are read within the limit of a turn, and the eight that are resumed.
      expect(read(bodies, 'flood')).toBeLessThanOrEqual(16)
    }
    expect(counts.size).toBe(40)
  })

  it('gives each caller a turn, whatever the number of its connections', async () => {
    const read = createReader()
    const flood = Array.from({ length: 200 }, createBody)
    const other = createBody()
    read(flood, 'flood')
    let turns = 0
    for (let turn = 0; turn < 10; turn++) {
      turns += read([other], 'other')
      await nextTurn()
      read(flood, 'flood')
    }
    expect(turns).toBeGreaterThanOrEqual(9)
  })

  it('does not delay small bodies', () => {
    const pacer = createBodyPacer()
    const large = createBody()
    pacer.count(large, { bytes: 100 * CHUNK, read: 100 * CHUNK, caller: 'flood' })
    expect(large.isPaused()).toBe(true)
    const small = createBody()
    pacer.count(small, { bytes: CHUNK, read: CHUNK, caller: 'other' })
    expect(small.isPaused()).toBe(false)
  })
})
