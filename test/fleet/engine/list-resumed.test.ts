import { expect, it } from 'vitest'
import { SkillsError } from '../../../src/errors.ts'
import type { StoredMessage } from '../../../src/fleet/engine/engine.ts'
import { listResumed } from '../../../src/fleet/engine/list-resumed.ts'

const message = (seq: number): StoredMessage => ({
  subject: `b.${seq}`,
  body: new Uint8Array(),
  seq,
  storedAt: 0,
})

async function collect(list: AsyncIterable<StoredMessage>): Promise<number[]> {
  const found: number[] = []
  for await (const { seq } of list) found.push(seq)
  return found
}

it('a list that becomes silent begins again after its last message', async () => {
  const starts: number[] = []
  const list = listResumed({
    async *open(afterSeq) {
      starts.push(afterSeq)
      if (afterSeq > 0) return yield message(3)
      yield message(1)
      yield message(2)
      // As the engine does, which announces a message that was removed.
      await new Promise(() => {})
    },
    waitForEngine: async () => {},
  })
  expect(await collect(list)).toEqual([1, 2, 3])
  expect(starts).toEqual([0, 2])
})

it('a list that fails begins again when the engine answers', async () => {
  let isAway = true
  const list = listResumed({
    async *open(afterSeq) {
      if (afterSeq === 0) yield message(1)
      if (isAway) throw new Error('the connection is closed')
      yield message(2)
    },
    waitForEngine: async () => void (isAway = false),
  })
  expect(await collect(list)).toEqual([1, 2])
})

it('a list ends with the error of an engine that stays away', async () => {
  const list = listResumed({
    // oxlint-disable-next-line require-yield
    async *open(): AsyncGenerator<StoredMessage> {
      throw new Error('the connection is closed')
    },
    waitForEngine: async () => {
      throw new SkillsError('fleet/unavailable', 'The engine does not answer')
    },
  })
  await expect(collect(list)).rejects.toThrow('does not answer')
})
