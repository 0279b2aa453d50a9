// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createTenant, FRONT, startNode, useServer, WORKER } from './fleet-server.ts'

const server = useServer()

describe('skills fleet drain', () => {
  it('requires a node', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['drain'])
    expect(code).toBe(2)
    expect(stderr).toContain('node')
  })

  it('of a node that is not heard suggests a similar name', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, { ...WORKER, node: 'worker-1' })
    const near = await fleet(['drain', 'worker-11'])
    expect(near.code).toBe(2)
    expect(near.stderr).toContain('No node with the name "worker-11" was heard')
    expect(near.stderr).toContain('Did you mean "worker-1"?')
    const far = await fleet(['drain', 'quite-other\u001b[2J'])
    expect(far.stderr).toContain('skills fleet nodes')
    expect(far.stderr).not.toContain('\u001b')
  })

  it('waits until a worker has no runs and no waiting calls', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const node = startNode(engine, { ...WORKER, running: 2, waiting: 1 }, (own, message) => {
      own.state = { ...own.state, isDraining: true }
      message.respond(JSON.stringify({ start: 'aaaa', running: 3 }))
      setTimeout(() => (own.state = { ...own.state, running: 1, waiting: 0 }), 300)
      setTimeout(() => (own.state = { ...own.state, running: 0 }), 700)
    })
    const { code, stdout, stderr } = await fleet(['drain', 'one'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'drained worker one\n' })
    expect(stderr).toContain('Draining "one": 3 runs left')
    expect(stderr).toContain('Draining "one": 1 run left')
    expect(node.requests).toEqual([{ op: 'drain' }])
    expect(node.state.running).toBe(0)
  })

  it('drains a front', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, FRONT, (own, message) => {
      own.state = { ...own.state, isDraining: true, running: 0, waiting: 0 }
      message.respond('{}')
    })
    const { code, json } = await fleet(['drain', 'edge', '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({
      schema: 'skills.fleet-drain/v1',
      node: 'edge',
      role: 'front',
      state: 'drained',
      running: 0,
    })
  })

  it('with --no-wait only requests it', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const node = startNode(engine, WORKER)
    const { code, stdout, stderr } = await fleet(['drain', 'one', '--no-wait'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'draining worker one\n' })
    expect(stderr).toBe('1 run in progress\n')
    expect(node.requests).toEqual([{ op: 'drain' }])
  })

  it('of a name that a worker and a front have needs --role', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const worker = startNode(engine, WORKER)
    const front = startNode(engine, { ...FRONT, node: 'one' })
    const both = await fleet(['drain', 'one', '--no-wait'])
    expect(both.code).toBe(2)
    expect(both.stderr).toContain('Add --role worker, or --role front')
    expect((await fleet(['drain', 'one', '--no-wait', '--role', 'front'])).code).toBe(0)
    expect({ front: front.requests, worker: worker.requests }).toEqual({
      front: [{ op: 'drain' }],
      worker: [],
    })
    expect((await fleet(['drain', 'one', '--role', 'broker'])).code).toBe(2)
  })

  it('ends when the node is gone', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, WORKER, (own, message) => {
      message.respond('{"running":1}')
      own.stop()
    })
    const { code, stdout, stderr } = await fleet(['drain', 'one'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'gone worker one\n' })
    expect(stderr).toContain('it had 1 run before')
  })

  it('ends when the node was started again', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, WORKER, (own, message) => {
      message.respond('{"running":1}')
      own.state = { ...own.state, start: 'cccc' }
    })
    expect((await fleet(['drain', 'one'])).stdout).toBe('gone worker one\n')
  })

  it('of a node that does not take requests says so', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const node = startNode(engine, WORKER)
    // Heartbeats continue, but nothing listens to requests.
    node.stop()
    const timer = setInterval(() => engine.publish('hb.w.one', JSON.stringify(WORKER)), 100)
    const { code, stderr } = await fleet(['drain', 'one'])
    clearInterval(timer)
    expect(code).toBe(3)
    expect(stderr).toContain('The worker "one" does not take requests')
  })

  it('ignores an answer that is not valid', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, WORKER, (own, message) => {
      own.state = { ...own.state, isDraining: true, running: 0 }
      message.respond('{"running":"\\u001b[2J"}')
    })
    expect((await fleet(['drain', 'one'])).stdout).toBe('drained worker one\n')
  })

  it('stops to wait on Ctrl-C, while the node continues to drain', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const interruption = new AbortController()
    const node = startNode(engine, WORKER, (own, message) => {
      own.state = { ...own.state, isDraining: true }
      message.respond('{"running":1}')
      setTimeout(() => interruption.abort(), 300)
    })
    const { code } = await fleet(['drain', 'one'], { signal: interruption.signal })
    expect(code).toBe(130)
    expect(node.state.isDraining).toBe(true)
  })
})
