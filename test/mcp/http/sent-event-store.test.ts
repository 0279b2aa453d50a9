import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { SentEventStore } from '../../../src/mcp/http/sent-event-store.ts'

const news = (text: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { text },
})

async function missedAfter(events: SentEventStore, eventId: string): Promise<unknown[]> {
  const missed: unknown[] = []
  const send = async (_: string, message: JSONRPCMessage) => void missed.push(message)
  await events.replayEventsAfter(eventId, { send })
  return missed
}

const NEWS = '_GET_stream'
const MEGABYTE = 'x'.repeat(1024 ** 2)

describe('the events of an MCP session', () => {
  it('are replayed by stream and in order to a client that missed them', async () => {
    const events = new SentEventStore({ used: 0 })
    const first = await events.storeEvent('a', {})
    await events.storeEvent('b', news('other'))
    const second = await events.storeEvent('a', news('one'))
    await events.storeEvent('a', news('two'))
    expect(await missedAfter(events, first)).toEqual([news('one'), news('two')])
    expect(await missedAfter(events, second)).toEqual([news('two')])
  })

  it('cannot be replayed after an unknown or invalid event id', async () => {
    const events = new SentEventStore({ used: 0 })
    await events.storeEvent('a', news('one'))
    for (const id of ['', 'a', 'a.', 'a.2', 'a.-1', 'a.1e0', 'b.1', '.1', `a.${'9'.repeat(40)}`]) {
      expect(events.findStream(id)).toBeUndefined()
      await expect(missedAfter(events, id)).rejects.toThrow('Unknown or expired event')
    }
    expect(events.findStream('a.1')).toBe('a')
  })

  it('are limited per session in size and number, and a truncated response is not replayed', async () => {
    const room = { used: 0 }
    const events = new SentEventStore(room)
    const first = await events.storeEvent('a', news('one'))
    const second = await events.storeEvent('a', news('two'))
    for (let at = 0; at < 6; at++) await events.storeEvent('b', news(MEGABYTE))
    expect(room.used).toBeLessThan(4.1 * 1024 ** 2)
    expect(events.findStream(first)).toBeUndefined()
    expect(events.findStream(second)).toBeUndefined()
    expect(events.findStream('b.3')).toBeUndefined()
    expect(await missedAfter(events, 'b.7')).toHaveLength(1)
    for (let at = 0; at < 2000; at++) await events.storeEvent('c', news('small'))
    expect((await missedAfter(events, 'c.1008')).length).toBe(1000)
    expect(events.findStream('c.1007')).toBeUndefined()
  })

  it('do not include a message larger than the limit', async () => {
    const room = { used: 0 }
    const events = new SentEventStore(room)
    const first = await events.storeEvent('a', {})
    await events.storeEvent('a', news(MEGABYTE.repeat(5)))
    expect(events.findStream(first)).toBeUndefined()
    expect(room.used).toBe(0)
  })

  it('are limited over all sessions', async () => {
    const room = { used: 0 }
    for (let at = 0; at < 30; at++) {
      const events = new SentEventStore(room)
      for (let each = 0; each < 3; each++) await events.storeEvent('a', news(MEGABYTE))
    }
    expect(room.used).toBeLessThanOrEqual(64 * 1024 ** 2)
  })

  it('expire after a minute and at the end of the session', async () => {
    const room = { used: 0 }
    let time = 0
    const events = new SentEventStore(room, () => time)
    const old = await events.storeEvent('a', news('one'))
    const heard = await events.storeEvent(NEWS, news('one'))
    time = 60_001
    const young = await events.storeEvent('b', news('two'))
    events.expire()
    expect([old, young].map((id) => events.findStream(id))).toEqual([undefined, 'b'])
    // Notification streams can still be resumed.
    expect(await missedAfter(events, heard)).toEqual([])
    events.clear()
    expect(room.used).toBe(0)
    expect(events.findStream(young)).toBeUndefined()
  })
})
