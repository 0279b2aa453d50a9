import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { SentEventStore } from '../../../src/mcp/http/sent-event-store.ts'

const notification = (text: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { text },
})

async function replayAfter(events: SentEventStore, eventId: string): Promise<unknown[]> {
  const replayed: unknown[] = []
  const send = async (_: string, message: JSONRPCMessage) => void replayed.push(message)
  await events.replayEventsAfter(eventId, { send })
  return replayed
}

const NOTIFICATION_STREAM = '_GET_stream'
const MEGABYTE = 'x'.repeat(1024 ** 2)

describe('the events of an MCP session', () => {
  it('are replayed by stream and in order to a client that missed them', async () => {
    const events = new SentEventStore({ used: 0 })
    const first = await events.storeEvent('a', {})
    await events.storeEvent('b', notification('other'))
    const second = await events.storeEvent('a', notification('one'))
    await events.storeEvent('a', notification('two'))
    expect(await replayAfter(events, first)).toEqual([notification('one'), notification('two')])
    expect(await replayAfter(events, second)).toEqual([notification('two')])
  })

  it('cannot be replayed after an unknown or invalid event id', async () => {
    const events = new SentEventStore({ used: 0 })
    await events.storeEvent('a', notification('one'))
    for (const id of ['', 'a', 'a.', 'a.2', 'a.-1', 'a.1e0', 'b.1', '.1', `a.${'9'.repeat(40)}`]) {
      expect(events.findStream(id)).toBeUndefined()
      await expect(replayAfter(events, id)).rejects.toThrow('Unknown or expired event')
    }
    expect(events.findStream('a.1')).toBe('a')
  })

  it('are limited per session in size and number, and a truncated response is not replayed', async () => {
    const budget = { used: 0 }
    const events = new SentEventStore(budget)
    const first = await events.storeEvent('a', notification('one'))
    const second = await events.storeEvent('a', notification('two'))
    for (let at = 0; at < 6; at++) await events.storeEvent('b', notification(MEGABYTE))
    expect(budget.used).toBeLessThan(4.1 * 1024 ** 2)
    expect(events.findStream(first)).toBeUndefined()
    expect(events.findStream(second)).toBeUndefined()
    expect(events.findStream('b.3')).toBeUndefined()
    expect(await replayAfter(events, 'b.7')).toHaveLength(1)
    for (let at = 0; at < 2000; at++) await events.storeEvent('c', notification('small'))
    expect((await replayAfter(events, 'c.1008')).length).toBe(1000)
    expect(events.findStream('c.1007')).toBeUndefined()
  })

  it('do not include a message larger than the limit', async () => {
    const budget = { used: 0 }
    const events = new SentEventStore(budget)
    const first = await events.storeEvent('a', {})
    await events.storeEvent('a', notification(MEGABYTE.repeat(5)))
    expect(events.findStream(first)).toBeUndefined()
    expect(budget.used).toBe(0)
  })

  it('are limited over all sessions', async () => {
    const budget = { used: 0 }
    for (let at = 0; at < 30; at++) {
      const events = new SentEventStore(budget)
      for (let each = 0; each < 3; each++) await events.storeEvent('a', notification(MEGABYTE))
    }
    expect(budget.used).toBeLessThanOrEqual(64 * 1024 ** 2)
  })

  it('expire after a minute and at the end of the session', async () => {
    const budget = { used: 0 }
    let time = 0
    const events = new SentEventStore(budget, () => time)
    const old = await events.storeEvent('a', notification('one'))
    const lastReceived = await events.storeEvent(NOTIFICATION_STREAM, notification('one'))
    time = 60_001
    const young = await events.storeEvent('b', notification('two'))
    events.expire()
    expect([old, young].map((id) => events.findStream(id))).toEqual([undefined, 'b'])
    // Notification streams can still be resumed.
    expect(await replayAfter(events, lastReceived)).toEqual([])
    events.clear()
    expect(budget.used).toBe(0)
    expect(events.findStream(young)).toBeUndefined()
  })
})
