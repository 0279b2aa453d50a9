// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  getAgentLoads,
  listLoadedSkills,
  replaceAgentLoads,
} from '../../../src/core/skill-context/session-state.ts'
import { changeLoads } from '../../../src/core/skill-context/change-loads.ts'
import type { SessionStore } from '../../../src/core/skill-context/session-store.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openFleetSessionStore } from '../../../src/fleet/sessions/fleet-session-store.ts'
import { describeSessionStore } from '../../core/skill-context/session-store-suite.ts'
import { useTestFleet } from '../catalog/test-fleet.ts'

const fleet = useTestFleet()

describeSessionStore('the engine', async (limits) =>
  openFleetSessionStore(await fleet.connect(await fleet.createTenant()), limits),
)

async function load(store: SessionStore, key: string, skill: string): Promise<void> {
  await store.update(key, async (state) => {
    const change = { skill, docs: undefined, load: true, texts: [], call: null }
    const loads = changeLoads(getAgentLoads(state, 'a'), change)
    return { state: replaceAgentLoads(state, loads), value: undefined }
  })
}

async function readLoaded(store: SessionStore, key: string): Promise<string[]> {
  return listLoadedSkills(getAgentLoads(await store.read(key), 'a'))
}

describe('openFleetSessionStore()', () => {
  async function openStores(count: number, limits = {}) {
    const tenant = await fleet.createTenant()
    const engines = []
    for (let at = 0; at < count; at++) engines.push(await fleet.connect(tenant))
    return { engines, stores: engines.map((engine) => openFleetSessionStore(engine, limits)) }
  }

  it('applies all concurrent changes of several nodes', async () => {
    const { stores } = await openStores(3)
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
    await Promise.all(
      names.map(async (name, index) => await load(stores[index % 3] as SessionStore, 'k', name)),
    )
    for (const store of stores) {
      expect((await readLoaded(store, 'k')).toSorted()).toEqual(names.toSorted())
    }
  })

  it('applies a change to an empty session if another node removed the session meanwhile', async () => {
    const { stores } = await openStores(2)
    const [one, other] = stores as [SessionStore, SessionStore]
    await load(one, 'k', 'before')
    let calls = 0
    await one.update('k', async (state) => {
      if (++calls === 1) await other.remove('k')
      return { state: { ...state, id: 'again' }, value: undefined }
    })
    expect(calls).toBe(2)
    expect(await other.read('k')).toEqual({ version: 1, agents: [], id: 'again' })
  })

  it('accepts keys with any characters', async () => {
    const { stores } = await openStores(1)
    const [store] = stores as [SessionStore]
    const keys = ['a.b', '*', '>', 'x=2Ey', 'é ü', 'k'.repeat(40)]
    for (const key of keys) await load(store, key, 'demo')
    expect((await store.list()).map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    await store.remove('*')
    expect(await store.list()).toHaveLength(keys.length - 1)
  })

  it('stores large states, and refuses one that is larger than a message', async () => {
    const { stores } = await openStores(1)
    const [store] = stores as [SessionStore]
    const id = 'x'.repeat(3_000_000)
    await store.update('k', async (state) => ({ state: { ...state, id }, value: undefined }))
    expect((await store.read('k')).id).toBe(id)
    const random = Array.from({ length: 200_000 }, () => Math.random().toString(36)).join('')
    const storing = store.update('k', async (state) => ({
      state: { ...state, id: random },
      value: undefined,
    }))
    await expect(storing).rejects.toMatchObject({ code: 'store/full' })
    expect((await store.read('k')).id).toBe(id)
  })

  it('removes sessions that are expired', async () => {
    const { stores, engines } = await openStores(1)
    const [store] = stores as [SessionStore]
    await load(store, 'old', 'demo')
    await sleep(20)
    await load(store, 'new', 'demo')
    const [newest, oldest] = (await store.list()).map(({ changedAt }) => changedAt)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ttlMs = Date.now() - (Number(newest) + Number(oldest)) / 2
    await openFleetSessionStore(engines[0] as NatsEngine, { ttlMs }).sweep()
    expect((await store.list()).map(({ key }) => key)).toEqual(['new'])
  })

  it('removes the oldest sessions of all nodes, and none that another node has changed', async () => {
    const { stores } = await openStores(2, { maxSessions: 3 })
    const [one, other] = stores as [SessionStore, SessionStore]
    for (const key of ['a', 'b', 'c']) await load(one, key, 'demo')
    await load(other, 'a', 'more')
    await load(one, 'd', 'demo')
    expect((await one.list()).map(({ key }) => key)).toEqual(['d', 'a', 'c'])
  })

  it('rejects a damaged state instead of treating it as empty', async () => {
    const { stores, engines } = await openStores(1)
    const [store] = stores as [SessionStore]
    await load(store, 'k', 'demo')
    for (const body of ['{', '{"version":1,"agents":[{"agent":1}]}', Buffer.from([0x1f, 0x8b])]) {
      await engines[0]?.append('state', 'k.sessions.k', body)
      await expect(store.read('k')).rejects.toThrow('Cannot read the state of a session')
    }
  })

  it('completes an update during which the engine is paused', async () => {
    const { stores } = await openStores(2)
    const [one, other] = stores as [SessionStore, SessionStore]
    await load(one, 'k', 'before')
    fleet.server.process.kill('SIGSTOP')
    const updates = [load(one, 'k', 'paused'), load(other, 'k', 'also')]
    await sleep(1500)
    fleet.server.process.kill('SIGCONT')
    await Promise.all(updates)
    expect((await readLoaded(one, 'k')).toSorted()).toEqual(['also', 'before', 'paused'])
  })

  it('completes an update during which the engine is killed and started again', async () => {
    const { stores } = await openStores(1)
    const [store] = stores as [SessionStore]
    await load(store, 'k', 'before')
    const update = store.update('k', async (state) => {
      await fleet.server.end('SIGKILL')
      return { state: { ...state, id: 'killed' }, value: undefined }
    })
    await sleep(500)
    await fleet.server.start()
    await update
    expect(await readLoaded(store, 'k')).toEqual(['before'])
    expect((await store.read('k')).id).toBe('killed')
  })
})
