import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { changeLoads } from '../../../src/core/skill-context/change-loads.ts'
import {
  listLoadedSkills,
  getAgentLoads,
  replaceAgentLoads,
} from '../../../src/core/skill-context/session-state.ts'
import type { SessionLimits, SessionStore } from '../../../src/core/skill-context/session-store.ts'

/** Contract of every session store; `make` opens an empty one. */
export function describeSessionStore(
  where: string,
  make: (limits: SessionLimits) => SessionStore | Promise<SessionStore>,
): void {
  describe(`a session store in ${where}`, () => {
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
      const store = await make({})
      expect(await readLoaded(store, 'k')).toEqual([])
      expect(await loadInSession(store, 'k', 'demo')).toBe('demo')
      await loadInSession(store, 'other', 'elsewhere')
      expect(await readLoaded(store, 'k')).toEqual(['demo'])
      await store.remove('k')
      expect(await readLoaded(store, 'k')).toEqual([])
      expect(await readLoaded(store, 'other')).toEqual(['elsewhere'])
    })

    it('stores nothing if a change returns the same state', async () => {
      const store = await make({})
      await loadInSession(store, 'k', 'demo')
      const before = await store.read('k')
      expect(await store.update('k', async (state) => ({ state, value: 'same' }))).toBe('same')
      expect(await store.read('k')).toEqual(before)
    })

    it('lists sessions, the most recently changed one first', async () => {
      const store = await make({})
      for (const key of ['a', 'b', 'c', 'a']) {
        await loadInSession(store, key, `in-${key}`)
        await sleep(10)
      }
      expect((await store.list()).map(({ key }) => key)).toEqual(['a', 'c', 'b'])
    })

    it('applies all concurrent changes', async () => {
      const store = await make({})
      const names = Array.from({ length: 30 }, (_each, index) => `s${index}`)
      await Promise.all(names.map(async (name) => await loadInSession(store, 'k', name)))
      expect((await readLoaded(store, 'k')).toSorted()).toEqual(names.toSorted())
    })

    it('stores nothing of a failed change, and continues', async () => {
      const store = await make({})
      await loadInSession(store, 'k', 'demo')
      const failing = store.update('k', async () => await Promise.reject(new Error('no')))
      await expect(failing).rejects.toThrow('no')
      await loadInSession(store, 'k', 'other')
      expect(await readLoaded(store, 'k')).toEqual(['demo', 'other'])
    })

    it('removes the oldest sessions beyond the maximum', async () => {
      const store = await make({ maxSessions: 2 })
      for (const key of ['a', 'b', 'c']) {
        await loadInSession(store, key, 'demo')
        // Longer than the timestamp resolution of file systems.
        await sleep(10)
      }
      expect(await readLoaded(store, 'a')).toEqual([])
      expect(await readLoaded(store, 'c')).toEqual(['demo'])
    })
  })
}
