import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ReloadableTokens } from '../../../src/server/auth/reloadable-tokens.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { ANONYMOUS, SCOPES, type Caller } from '../../../src/server/auth/caller.ts'
import { ConsoleEvents } from '../../../src/server/console/console-events.ts'
import { listen } from '../../../src/server/http/listen.ts'
import { createTestApp } from '../../helpers/app.ts'
import { readEvents, type ServerEvent } from '../../helpers/events.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'
import { startColdServer } from './start-cold-server.ts'

const ALICE = 'alice-token-0123456789'
const BOB = 'bob-token-0123456789'
const OPERATOR = 'operator-token-0123456789'
const FILE = `${ALICE} alice\n${BOB} bob\n${OPERATOR} olga read,operate\n${BOB}2 runner run\n`
const tokens = () => parseTokens(FILE, 'tokens.txt')
const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const EXECUTE = { jsonrpc: '2.0', id: 1, method: 'execute_skill', params: { name: 'demo.greet' } }

const TRUST = { hosts: new Set(['127.0.0.1']), anyAddress: false, origins: new Set<string>() }

/** Opens a stream, and collects its events until the end of the test. */
async function follow(url: string, headers: Record<string, string> = {}) {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const response = await fetch(`${url}/console/events`, { headers, signal: stopping.signal })
  const events: ServerEvent[] = []
  let isOver = false
  const reading = (async () => {
    for await (const event of readEvents(response)) events.push(event)
    isOver = true
  })().catch(() => {})
  const waitFor = async (name: string, data: object = {}) =>
    await vi.waitFor(
      () =>
        expect(events).toContainEqual(
          expect.objectContaining({ name, data: expect.objectContaining(data) as object }),
        ),
      { timeout: 20_000 },
    )
  return {
    status: response.status,
    events,
    waitFor,
    reading,
    stop: () => stopping.abort(),
    isOver: () => isOver,
  }
}

const caller = (name: string, scopes: Caller['scopes'] = ANONYMOUS.scopes): Caller => ({
  name,
  scopes,
  account: name,
})

describe('the events of the console', () => {
  it('show a run to its caller and to operators, and to no one else', async () => {
    const server = await startColdServer({ tokens: tokens(), tree })
    const [alice, bob, operator] = await Promise.all(
      [ALICE, BOB, OPERATOR].map(async (token) => await follow(server.url, as(token))),
    )
    const ran = await server.post(EXECUTE, as(ALICE))
    expect(await ran.json()).toHaveProperty('result.status', 'completed')
    for (const each of [alice, operator]) {
      await each?.waitFor('run', { state: 'ended' })
      expect(each?.events[0]).toMatchObject({
        name: 'hello',
        data: { runs: [], scopes: expect.arrayContaining(['read']) },
      })
      const runs = each?.events.filter(({ name }) => name === 'run').map(({ data }) => data) ?? []
      expect(runs.map(({ state }) => state)).toEqual([
        'queued',
        'starting',
        'running',
        'collecting',
        'completed',
        'ended',
      ])
      expect(runs.at(-1)).toMatchObject({
        status: 'completed',
        method: 'execute_skill',
        skill: 'demo.greet',
        caller: 'alice',
        run_id: runs[0]?.['run_id'],
      })
    }
    // Its own run arrives after those of others would have.
    await server.post(EXECUTE, as(BOB))
    await bob?.waitFor('run', { state: 'ended' })
    const callers = bob?.events
      .filter(({ name }) => name === 'run')
      .map(({ data }) => data['caller'])
    expect(new Set(callers)).toEqual(new Set(['bob']))
  })

  it('need a token with the scope "read"', async () => {
    const server = await startColdServer({ tokens: tokens() })
    expect((await follow(server.url)).status).toBe(401)
    expect((await follow(server.url, as(`${BOB}2`))).status).toBe(403)
    expect((await follow(server.url, as(ALICE))).status).toBe(200)
    const off = await startColdServer({ tokens: tokens(), console: false })
    expect((await follow(off.url, as(ALICE))).status).toBe(404)
  })

  it('show what was loaded again to programs of this machine, not behind a proxy', async () => {
    const { context } = await createTestApp({}, {}, { hasConsole: true, trust: TRUST })
    const server = await listen(context, { host: '127.0.0.1', port: 0 })
    onTestFinished(async () => await server.close(0))
    const own = await follow(server.url)
    const proxied = await follow(server.url, { 'x-forwarded-for': '203.0.113.7' })
    context.consoleEvents.reportReload({ part: 'configuration', result: 'refused' })
    context.consoleEvents.reportSkills()
    await own.waitFor('skills')
    await proxied.waitFor('skills')
    expect(own.events.map(({ name }) => name)).toEqual(['hello', 'reload', 'skills'])
    expect(proxied.events.map(({ name }) => name)).toEqual(['hello', 'skills'])
    context.consoleEvents.close()
  })

  it('report changed and uploaded skills', async () => {
    const server = await startColdServer({ tree, watch: true })
    const stream = await follow(server.url)
    writeTree(server.dir, prefixPaths('skills/other', createActionSkill('demo.other')))
    await stream.waitFor('skills')
    const plain = await startColdServer({ tree })
    const other = await follow(plain.url)
    await plain.result('create_skill', {
      manifest: {
        name: 'user.third',
        version: '0.1.0',
        description: 'A skill.',
        kind: 'instruction',
      },
      skill_md: '# Third\n\nDoes nothing.',
      files: [],
    })
    await other.waitFor('skills')
  })

  it('end with the server, which does not wait for them', async () => {
    const server = await startColdServer()
    const stream = await follow(server.url)
    await stream.waitFor('hello')
    await server.stop(600_000)
    await stream.waitFor('end', { reason: 'stopped' })
  })

  it('end when the token of their caller is no longer accepted', async () => {
    const book = new ReloadableTokens(tokens())
    const { context } = await createTestApp(
      {},
      {},
      { hasConsole: true, trust: TRUST, tokens: book },
    )
    const server = await listen(context, { host: '127.0.0.1', port: 0 })
    onTestFinished(async () => await server.close(0))
    const [alice, bob] = [await follow(server.url, as(ALICE)), await follow(server.url, as(BOB))]
    context.consoleEvents.checkCallers()
    expect(context.consoleEvents.size).toBe(2)
    book.replace(parseTokens(`${BOB} bob\n`, 'tokens.txt'))
    context.consoleEvents.checkCallers()
    await alice.waitFor('end', { reason: 'token' })
    expect(context.consoleEvents.size).toBe(1)
    context.consoleEvents.reportSkills()
    await bob.waitFor('skills')
    expect(alice.events.map(({ name }) => name)).not.toContain('skills')
    context.consoleEvents.close()
  })

  it('leave nothing behind when a tab is closed, or for HEAD', async () => {
    const { context } = await createTestApp({}, {}, { hasConsole: true, trust: TRUST })
    const server = await listen(context, { host: '127.0.0.1', port: 0 })
    onTestFinished(async () => await server.close(0))
    const head = await fetch(`${server.url}/console/events`, { method: 'HEAD' })
    expect([head.status, context.consoleEvents.size]).toEqual([200, 0])
    const stream = await follow(server.url)
    expect(context.consoleEvents.size).toBe(1)
    stream.stop()
    await vi.waitFor(() => expect(context.consoleEvents.size).toBe(0))
  })
})

describe('the streams of the console', () => {
  it('begin with the runs that have not ended', async () => {
    const events = new ConsoleEvents()
    const change = { method: 'run_code', caller: 'alice', at: '2026-01-01T00:00:00Z' }
    events.reportRun('alice', { ...change, run_id: 'run_1', state: 'queued' })
    events.reportRun('alice', { ...change, run_id: 'run_1', state: 'running' })
    events.reportRun('alice', { ...change, run_id: 'run_2', state: 'ended', status: 'failed' })
    events.reportRun('bob', { ...change, run_id: 'run_3', state: 'queued' })
    const readFirst = async (who: Caller) => {
      const body = events.open(who, () => {})
      events.close()
      for await (const { data } of readEvents(new Response(body)))
        return (data['runs'] as { run_id: string; state: string }[]).map(({ run_id }) => run_id)
      return undefined
    }
    expect(await readFirst(caller('alice'))).toEqual(['run_1'])
    expect(await readFirst(caller('bob'))).toEqual(['run_3'])
    expect(await readFirst(caller('carol'))).toEqual([])
    expect(await readFirst(caller('olga', new Set(SCOPES)))).toEqual(['run_1', 'run_3'])
  })

  it('are at most sixteen of a caller and 256 of all', async () => {
    const events = new ConsoleEvents()
    const open = (name: string) => events.open(caller(name), () => {})
    const first = open('alice')
    for (let n = 1; n < 16; n++) open('alice')
    expect(() => open('alice')).toThrow('Expected at most 16 of a caller open event streams')
    for (let n = 0; n < 240; n++) open(`caller-${n}`)
    expect(() => open('bob')).toThrow('Expected at most 256 of all callers open event streams')
    await first.cancel()
    expect(() => open('bob')).not.toThrow()
    expect(events.size).toBe(256)
    events.close()
    expect(events.size).toBe(0)
  })

  it('end for a slow reader with the reason, and go on for others', async () => {
    const events = new ConsoleEvents()
    const slow = events.open(caller('alice'), () => {})
    const fast = events.open(caller('alice'), () => {})
    const received: string[] = []
    const reading = (async () => {
      for await (const { name } of readEvents(new Response(fast))) received.push(name)
    })()
    for (let n = 0; n < 5000; n++) {
      events.reportSkills()
      // The other reader keeps up.
      if (n % 100 === 0) await new Promise(setImmediate)
    }
    expect(events.size).toBe(1)
    events.close()
    await reading
    expect(received).toHaveLength(5002)
    const late: ServerEvent[] = []
    for await (const event of readEvents(new Response(slow))) late.push(event)
    expect(late.length).toBeLessThan(4000)
    expect(late.at(-1)).toMatchObject({ name: 'end', data: { reason: 'slow' } })
  })
})
