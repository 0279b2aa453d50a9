import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoredMessage } from '../../../src/fleet/engine/engine.ts'
import { watchBySubscription } from '../../../src/fleet/engine/watch-by-subscription.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream, and the signs that it gives by hand. */
async function watchStream() {
  const stored: StoredMessage[] = []
  const handled: string[] = []
  const signs = { publish: (_subject: string, _body: Uint8Array) => {}, return: () => {} }
  let isAway = false
  const store = (text: string) => {
    const message = { subject: 's', body: Buffer.from(text), seq: stored.length + 1, storedAt: 0 }
    stored.push(message)
  }
  const stop = await watchBySubscription(
    {
      async subscribe(handle) {
        signs.publish = handle
        return () => {}
      },
      async *list(afterSeq) {
        if (isAway) throw new Error('away')
        yield* stored.filter(({ seq }) => seq > afterSeq)
      },
      onReturn(handle) {
        signs.return = handle
        return () => {}
      },
    },
    ({ body }) => void handled.push(Buffer.from(body).toString()),
  )
  const setAway = (value: boolean) => void (isAway = value)
  return { store, handled, signs, stop, setAway }
}

it('a message that is received before it is stored is handled', async () => {
  const { store, handled, signs, stop } = await watchStream()
  signs.publish('s', Buffer.from('a'))
  await vi.advanceTimersByTimeAsync(5)
  expect(handled).toEqual([])
  store('a')
  await vi.advanceTimersByTimeAsync(100)
  expect(handled).toEqual(['a'])
  stop()
})

it('a message that is published and not stored is not handled', async () => {
  const { store, handled, signs, stop } = await watchStream()
  signs.publish('s', Buffer.from('refused'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(handled).toEqual([])
  store('a')
  signs.publish('s', Buffer.from('a'))
  await vi.advanceTimersByTimeAsync(0)
  expect(handled).toEqual(['a'])
  stop()
})

it('a stored message whose publication is lost is handled later', async () => {
  const { store, handled, stop } = await watchStream()
  store('a')
  await vi.advanceTimersByTimeAsync(9000)
  expect(handled).toEqual([])
  await vi.advanceTimersByTimeAsync(2000)
  expect(handled).toEqual(['a'])
  stop()
})

it('the return of the connection leads to a read', async () => {
  const { store, handled, signs, stop, setAway } = await watchStream()
  setAway(true)
  signs.publish('s', Buffer.from('a'))
  await vi.advanceTimersByTimeAsync(5)
  store('a')
  store('b')
  setAway(false)
  signs.return()
  await vi.advanceTimersByTimeAsync(0)
  expect(handled).toEqual(['a', 'b'])
  stop()
})

it('a stopped watch reads nothing', async () => {
  const { store, handled, stop } = await watchStream()
  stop()
  store('a')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(handled).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
