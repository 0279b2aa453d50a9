import { describe, expect, it } from 'vitest'
import { openEventStream } from '../../src/server/http/event-stream.ts'
import { RunIds } from '../../src/core/runs/history/run-id.ts'
import { createLiveRuns } from '../../src/server/runs/live-runs.ts'
import { ANONYMOUS } from '../../src/server/auth/caller.ts'
import { readEvents } from '../helpers/events.ts'

describe('an event stream', () => {
  it('counts dropped log events of a slow reader and always sends the response', async () => {
    const events = openEventStream()
    const text = 'x'.repeat(10_000)
    for (let at = 0; at < 500; at++) events.send({ name: 'log', data: { text }, number: at })
    events.send({ name: 'state', data: { state: 'completed' } })
    events.finish({ name: 'response', text: '{"id":1}' })
    const names: string[] = []
    let dropped = 0
    for await (const event of readEvents(new Response(events.body))) {
      names.push(event.name)
      if (event.name === 'dropped') dropped = Number(event.data['events'])
    }
    const logs = names.filter((name) => name === 'log').length
    expect(logs).toBeLessThan(200)
    expect(logs + dropped).toBe(500)
    expect(names.slice(-3)).toEqual(['dropped', 'state', 'response'])
  })

  it('reports that the client disconnected and ignores later events', async () => {
    let isGone = false
    const events = openEventStream(() => (isGone = true))
    await events.body.cancel()
    expect(isGone).toBe(true)
    events.send({ name: 'log', data: {} })
    events.finish({ name: 'response', text: '{}' })
  })
})

describe('createLiveRuns()', () => {
  it('keeps the end of long logs and removes the oldest ended runs', async () => {
    const runs = createLiveRuns(new RunIds())
    const first = runs.start(ANONYMOUS, undefined, () => {})
    for (let at = 0; at < 1000; at++)
      first.publish({ type: 'log', stream: 'stdout', text: 'y'.repeat(2000) })
    const received: number[] = []
    first.subscribe((event) => received.push(event.number))
    expect(received.length).toBeLessThan(600)
    expect(received.at(-1)).toBe(1000)
    first.end('completed')
    for (let at = 0; at < 100; at++) runs.start(ANONYMOUS, undefined, () => {}).end('completed')
    expect(runs.size).toBeLessThan(60)
    await expect(runs.find(ANONYMOUS, first.id)).rejects.toThrow(/no active run/)
  })
})
