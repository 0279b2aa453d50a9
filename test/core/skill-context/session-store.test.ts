import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { changeLoads } from '../../../src/core/skill-context/change-loads.ts'
import {
  listLoadedSkills,
  getAgentLoads,
  replaceAgentLoads,
} from '../../../src/core/skill-context/session-state.ts'
import {
  openSessionStore,
  type SessionLimits,
  type SessionStore,
} from '../../../src/core/skill-context/session-store.ts'
import { createMemorySessionStore } from '../../helpers/memory/session-store.ts'
import { createFolder } from '../../helpers/skills.ts'

const STORES: [string, (limits: SessionLimits) => SessionStore][] = [
  ['files', (limits) => openSessionStore(createFolder(), limits)],
  ['memory', createMemorySessionStore],
]

/** Contract of every session store. */
describe.each(STORES)('a session store in %s', (_, make) => {
  async function loadInSession(store: SessionStore, key: string, skill: string): Promise<string> {
    return await store.update(key, async (state) => {
      const change = { skill, docs: undefined, load: true, texts: [], call: null }
      return {
        state: replaceAgentLoads(state, changeLoads(getAgentLoads(state, 'a'), change)),
        value: skill,
      }
    })
  }

  async function readLoaded(store: SessionStore, key: string): Promise<string[]> {
    return listLoadedSkills(getAgentLoads(await store.read(key), 'a'))
  }

  it('starts empty, stores changes, and forgets removed sessions', async () => {
    const store = make({})
    expect(await readLoaded(store, 'k')).toEqual([])
    expect(await loadInSession(store, 'k', 'demo')).toBe('demo')
    await loadInSession(store, 'other', 'elsewhere')
    expect(await readLoaded(store, 'k')).toEqual(['demo'])
    await store.remove('k')
    expect(await readLoaded(store, 'k')).toEqual([])
    expect(await readLoaded(store, 'other')).toEqual(['elsewhere'])
  })

  it('applies all concurrent changes', async () => {
    const store = make({})
    const names = Array.from({ length: 30 }, (_each, index) => `s${index}`)
    await Promise.all(names.map(async (name) => await loadInSession(store, 'k', name)))
    expect((await readLoaded(store, 'k')).toSorted()).toEqual(names.toSorted())
  })

  it('stores nothing of a failed change, and continues', async () => {
    const store = make({})
    await loadInSession(store, 'k', 'demo')
    const failing = store.update('k', async () => await Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    await loadInSession(store, 'k', 'other')
    expect(await readLoaded(store, 'k')).toEqual(['demo', 'other'])
  })

  it('removes the oldest sessions beyond the maximum', async () => {
    const store = make({ maxSessions: 2 })
    for (const key of ['a', 'b', 'c']) {
      await loadInSession(store, key, 'demo')
      // Longer than the timestamp resolution of file systems.
      await sleep(10)
    }
    expect(await readLoaded(store, 'a')).toEqual([])
    expect(await readLoaded(store, 'c')).toEqual(['demo'])
  })
})
