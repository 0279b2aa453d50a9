// @module-tag slow
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ListOptions } from '../../../src/fleet/engine/engine.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { ReadsBy } from '../../../src/fleet/engine/message-reads.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

const DAY_MS = 86_400_000
const LIFETIMES = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
let server: TestServer

beforeAll(async () => {
  server = await startNatsServer()
})
afterAll(async () => await server.close())

let tenants = 0

async function collect(engine: NatsEngine, pattern: string): Promise<string[]> {
  const found: string[] = []
  for await (const { body } of engine.list('audit', pattern))
    found.push(Buffer.from(body).toString())
  return found
}

describe.each<{ reads: ReadsBy }>([{ reads: 'consumers' }, { reads: 'requests' }])(
  'an engine that reads by $reads',
  ({ reads }) => {
    async function open(tenant = `t${++tenants}`): Promise<NatsEngine> {
      const options = { servers: server.url, name: 'test', tenant, patienceMs: 20_000 }
      const engine = await openEngine({ ...options, reads })
      onTestFinished(async () => await engine.close())
      await initAssets(engine, { lifetimes: LIFETIMES, replicas: 1 })
      return engine
    }

    it('of several writers of a subject, one succeeds', async () => {
      const engine = await open()
      const other = await open(engine.tenant)
      const tries = Array.from({ length: 10 }, async (_, at) => {
        return await (at % 2 === 0 ? engine : other).create('calls', 'c.one.1', String(at))
      })
      const made = await Promise.all(tries)
      expect(made.filter(({ isCreated }) => isCreated)).toHaveLength(1)
    })

    it('a write while the engine is stopped is stored once, and its writer learns it', async () => {
      const engine = await open()
      server.process.kill('SIGSTOP')
      const writes = Promise.all([
        engine.create('calls', 'c.paused.1', 'created'),
        engine.append('audit', 'au.n.paused', 'appended'),
        engine.replace('state', 'k.t.paused', { body: 'replaced', seq: 0 }),
      ])
      // The first tries are not answered in time, but stored when the engine continues.
      setTimeout(() => server.process.kill('SIGCONT'), 2500)
      const [created, , replaced] = await writes
      expect(created.isCreated).toBe(true)
      expect(replaced).toBeGreaterThan(0)
      expect(await collect(engine, 'au.n.paused')).toEqual(['appended'])
    })

    it('a write while the engine is away waits for its return, and nothing acknowledged is lost', async () => {
      const engine = await open()
      await engine.append('audit', 'au.n.killed', 'before')
      await server.end('SIGKILL')
      const writing = engine.append('audit', 'au.n.killed', 'during')
      await server.start()
      await writing
      expect(await collect(engine, 'au.n.killed')).toEqual(['before', 'during'])
    })

    it('a list has every message that is stored, also those that arrive as it opens', async () => {
      const engine = await open()
      for (let at = 0; at < 40; at++) {
        const subject = `au.n.list${at}`
        const last = engine.append('audit', subject, 'last')
        const early = await collect(engine, subject)
        await last
        expect(await collect(engine, subject)).toEqual(['last'])
        expect(['', 'last']).toContain(early.join(''))
      }
    })

    it('a watch receives stored messages first, then later ones', async () => {
      const engine = await open()
      await engine.replace('state', 'k.t.a', { body: 'first', seq: 0 })
      const seen: string[] = []
      const stop = await engine.watch('state', 'k.t.*', ({ body }) => {
        seen.push(Buffer.from(body).toString())
      })
      expect(seen).toEqual(['first'])
      await engine.replace('state', 'k.t.b', { body: 'second', seq: 0 })
      await expect.poll(() => seen).toEqual(['first', 'second'])
      stop()
    })

    it('a list has the messages between two positions, in order', async () => {
      const engine = await open()
      const seqs: number[] = []
      for (let at = 0; at < 120; at++) {
        // Messages that do not match lie between some of those that do.
        if (at % 7 === 0 || at > 90) await engine.append('audit', 'au.other.x', 'other')
        seqs.push(await engine.append('audit', `au.n.${at % 3}`, String(at)))
      }
      const read = async (options: ListOptions) => {
        const found: number[] = []
        for await (const { seq } of engine.list('audit', 'au.n.*', options)) found.push(seq)
        return found
      }
      expect(await read({})).toEqual(seqs)
      const [afterSeq = 0, beforeSeq = 0] = [seqs[10], seqs[100]]
      expect(await read({ afterSeq, beforeSeq })).toEqual(seqs.slice(11, 100))
      expect(await read({ afterSeq: seqs.at(-1) ?? 0 })).toEqual([])
    })

    it('a watch receives all messages of a subject in order, also those of a burst', async () => {
      const engine = await open()
      const other = await open(engine.tenant)
      const seen: string[] = []
      const stop = await engine.watch('audit', 'au.burst.*', ({ body }) => {
        seen.push(Buffer.from(body).toString())
      })
      onTestFinished(stop)
      const bodies = Array.from({ length: 100 }, (_, at) => String(at))
      for (const body of bodies) await other.append('audit', 'au.burst.a', body)
      await expect.poll(() => seen).toEqual(bodies)
    })

    it('a watch that was stopped receives nothing', async () => {
      const engine = await open()
      const seen: string[] = []
      const stop = await engine.watch('state', 'k.t.*', ({ subject }) => void seen.push(subject))
      await engine.append('state', 'k.t.a', 'x')
      await expect.poll(() => seen).toEqual(['k.t.a'])
      stop()
      await engine.append('state', 'k.t.b', 'x')
      await engine.connection.flush()
      expect(seen).toEqual(['k.t.a'])
    })

    it('a watch receives what was stored before and after the engine was killed', async () => {
      const engine = await open()
      const seen: string[] = []
      const receive = ({ subject }: { subject: string }) => void seen.push(subject)
      onTestFinished(await engine.watch('state', 'k.t.*', receive))
      await engine.append('state', 'k.t.a', 'x')
      await server.end('SIGKILL')
      const writing = engine.append('state', 'k.t.b', 'x')
      await server.start()
      await writing
      await expect.poll(() => seen, { timeout: 20_000 }).toEqual(['k.t.a', 'k.t.b'])
    })

    it('the engine is not steady while it is stopped', async () => {
      const engine = await open()
      await expect.poll(() => engine.health.isSteady, { timeout: 10_000 }).toBe(true)
      server.process.kill('SIGSTOP')
      await expect.poll(() => engine.health.isAnswering, { timeout: 10_000 }).toBe(false)
      server.process.kill('SIGCONT')
      await expect.poll(() => engine.health.isSteady, { timeout: 10_000 }).toBe(true)
    })

    it('a tenant does not see the messages of another one', async () => {
      const [engine, other] = [await open(), await open()]
      await engine.append('audit', 'au.n.own', 'own')
      expect(await collect(other, 'au.>')).toEqual([])
      expect(await collect(engine, 'au.>')).toEqual(['own'])
    })
  },
)

it.each([
  ['nats://engine.example.com:4222', 'would not be encrypted'],
  ['nats://user:secret@127.0.0.1:4222', 'must not contain a secret'],
  ['http://127.0.0.1:4222', 'Expected the address of an engine'],
])('the address %s is refused', async (servers, reason) => {
  const opening = openEngine({ servers, name: 'test', tenant: 'main', patienceMs: 100 })
  await expect(opening).rejects.toThrow(reason)
})
