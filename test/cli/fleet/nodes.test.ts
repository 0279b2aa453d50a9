// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createTenant, FRONT, repeat, startNode, useServer, WORKER } from './fleet-server.ts'

const server = useServer()

describe('skills fleet nodes', () => {
  it('without nodes says so, and exits with 0', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stdout, stderr } = await fleet(['nodes'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe('No node was heard\n')
  })

  it('lists workers, then fronts, by name', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, FRONT)
    startNode(engine, { ...WORKER, node: 'two', isDraining: true, labels: ['gpu', 'repo:api'] })
    startNode(engine, WORKER)
    const { code, stdout, stderr } = await fleet(['nodes'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['NAME', 'ROLE', 'VERSION', 'RUNNING', 'WAITING', 'STATE', 'LABELS'],
      ['one', 'worker', '1.2.3', '1/4', '0', 'ready', 'pool=default'],
      ['two', 'worker', '1.2.3', '1/4', '0', 'draining', 'pool=default gpu repo:api'],
      ['edge', 'front', '1.2.3', '2', '3', 'ready'],
    ])
  })

  it('prints one JSON document', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, FRONT)
    startNode(engine, { ...WORKER, labels: ['gpu'] })
    const { code, json } = await fleet(['nodes', '--json'])
    expect(code).toBe(0)
    const common = { version: '1.2.3', protocol: '1.0', draining: false }
    expect(json()).toEqual({
      schema: 'skills.fleet-nodes/v1',
      nodes: [
        {
          ...common,
          name: 'one',
          role: 'worker',
          start: 'aaaa',
          running: 1,
          waiting: 0,
          places: 4,
          line: 2,
          pool: 'default',
          labels: ['gpu'],
        },
        {
          ...common,
          name: 'edge',
          role: 'front',
          start: 'bbbb',
          running: 2,
          waiting: 3,
          places: null,
          line: null,
          pool: null,
          labels: [],
        },
      ],
      unreadable: 0,
    })
  })

  it('does not hear the nodes of another tenant', async () => {
    const other = await createTenant(server.url)
    startNode(other.engine, WORKER)
    const { fleet } = await createTenant(server.url)
    expect((await fleet(['nodes'])).stdout).toBe('')
  })

  it('counts heartbeats that are not valid, and prints none of their text', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, WORKER)
    const bodies: [string, string | Uint8Array][] = [
      ['not-json', 'hunter2'],
      ['binary', Uint8Array.from([0, 255, 128, 27])],
      ['empty', ''],
      ['null', 'null'],
      ['huge', JSON.stringify({ ...WORKER, node: 'huge', text: 'hunter2'.repeat(100_000) })],
      ['other-name', JSON.stringify({ ...WORKER, node: 'hunter2' })],
      ['newer', JSON.stringify({ ...WORKER, node: 'newer', v: '2.0', build: 'hunter2' })],
      ['long', JSON.stringify({ ...WORKER, node: 'long', build: 'hunter2'.repeat(20) })],
      ['negative', JSON.stringify({ ...WORKER, node: 'negative', places: -1 })],
      [
        'infinite',
        JSON.stringify({ ...WORKER, node: 'infinite' }).replace('"places":4', '"places":1e999'),
      ],
      ['text', JSON.stringify({ ...WORKER, node: 'text', running: '1' })],
      ['labels', JSON.stringify({ ...WORKER, node: 'labels', labels: Array(1000).fill('x') })],
      ['object', JSON.stringify({ ...WORKER, node: 'object', labels: [{}] })],
      ['front', JSON.stringify({ ...FRONT, node: 'front' })],
    ]
    for (const [name, body] of bodies) repeat(engine, `hb.w.${name}`, body)
    repeat(engine, 'hb.x.role', JSON.stringify({ ...WORKER, node: 'role' }))
    repeat(engine, 'hb.w.Upper', JSON.stringify({ ...WORKER, node: 'Upper' }))
    repeat(engine, 'hb.w.too.long', JSON.stringify(WORKER))
    const { code, stdout, stderr } = await fleet(['nodes'])
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(2)
    const count = bodies.length + 3
    expect(stderr).toContain(`Heartbeats of ${count} senders are not valid`)
    expect(stdout + stderr).not.toContain('hunter2')
    expect((await fleet(['nodes', '--json'])).json()).toMatchObject({ unreadable: count })
  })

  it('shows control characters in texts of nodes as codes', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const evil = '\u001b[2J\u0007\u202egpu\r\n\u009b'
    startNode(engine, { ...WORKER, build: evil, pool: evil, labels: [evil] })
    const { code, stdout } = await fleet(['nodes'], { tty: true, columns: 200 })
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(
      // eslint-disable-next-line no-control-regex -- these must not reach a terminal
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
    )
    expect(stdout).toContain('\\u001b[2J')
    expect(stdout.trim().split('\n')).toHaveLength(2)
  })

  it('ends on Ctrl-C', async () => {
    const { fleet } = await createTenant(server.url)
    const interruption = new AbortController()
    const ended = fleet(['nodes'], { signal: interruption.signal })
    setTimeout(() => interruption.abort(), 300)
    expect(await ended).toMatchObject({ code: 130, stdout: '' })
  })
})
