import { execFile } from 'node:child_process'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { changeLoads } from '../../../src/core/skill-context/change-loads.ts'
import { deriveSessionKey } from '../../../src/core/skill-context/session-key.ts'
import {
  openSessionStore,
  type SessionStore,
} from '../../../src/core/skill-context/session-store.ts'
import {
  listLoadedSkills,
  getAgentLoads,
  replaceAgentLoads,
} from '../../../src/core/skill-context/session-state.ts'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

async function loadInSession(store: SessionStore, key: string, skill: string): Promise<void> {
  await store.update(key, async (state) => {
    const change = { skill, docs: undefined, load: true, texts: [], call: null }
    return {
      state: replaceAgentLoads(state, changeLoads(getAgentLoads(state, 'a'), change)),
      value: undefined,
    }
  })
}

async function readLoaded(store: SessionStore, key: string): Promise<string[]> {
  return listLoadedSkills(getAgentLoads(await store.read(key), 'a'))
}

describe('openSessionStore()', () => {
  it('keeps a session for another store in the same folder', async () => {
    const dir = join(createFolder(), 'sessions')
    await loadInSession(openSessionStore(dir), 'k', 'demo')
    const again = openSessionStore(dir)
    expect(await readLoaded(again, 'k')).toEqual(['demo'])
    await again.remove('k')
    expect(await readLoaded(openSessionStore(dir), 'k')).toEqual([])
  })

  it('applies all concurrent changes of several stores', async () => {
    const dir = createFolder()
    const stores = [openSessionStore(dir), openSessionStore(dir), openSessionStore(dir)]
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
    await Promise.all(
      names.map(
        async (name, index) => await loadInSession(stores[index % 3] as SessionStore, 'k', name),
      ),
    )
    expect((await readLoaded(openSessionStore(dir), 'k')).sort()).toEqual(names.sort())
    expect(readdirSync(join(dir, 'k'))).toHaveLength(1)
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it('applies all concurrent changes of several processes', { timeout: 60_000 }, async () => {
    const dir = createFolder()
    const worker = join(import.meta.dirname, 'session-worker.ts')
    const startWorker = async (name: string) =>
      await promisify(execFile)(process.execPath, ['--import', BUILT_MODULES, worker, dir, name])
    await Promise.all(['x', 'y', 'z'].map(startWorker))
    expect(await readLoaded(openSessionStore(dir), 'k')).toHaveLength(30)
  })

  it('removes sessions that are expired or beyond the maximum', async () => {
    const dir = createFolder()
    const store = openSessionStore(dir, { maxSessions: 3, ttlMs: 60_000 })
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      await loadInSession(store, key, 'demo')
      const then = new Date(Date.now() - (key === 'b' ? 120_000 : 10_000 - index))
      utimesSync(join(dir, key), then, then)
    }
    await loadInSession(store, 'd', 'demo')
    expect(
      readdirSync(dir)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['a', 'c', 'd'])
    await loadInSession(store, 'e', 'demo')
    expect(await readLoaded(store, 'a')).toEqual([])
    expect(await readLoaded(store, 'e')).toEqual(['demo'])
  })

  it('rejects a damaged state instead of treating it as empty', async () => {
    const dir = createFolder()
    const store = openSessionStore(dir)
    await loadInSession(store, 'k', 'demo')
    writeFileSync(join(dir, 'k', '1'), '{"version":1,"agents":[{"agent":1}]}')
    await expect(store.read('k')).rejects.toThrow('Cannot read the state of a session')
    writeFileSync(join(dir, 'k', '1'), '{')
    await expect(store.read('k')).rejects.toThrow('it is not valid JSON')
  })
})

describe('deriveSessionKey()', () => {
  it('separates callers, and is safe for names that contain paths', () => {
    const keys = [
      deriveSessionKey('s', undefined),
      deriveSessionKey('s', 'ann'),
      deriveSessionKey('s', 'bob'),
      deriveSessionKey('../s', 'ann'),
      deriveSessionKey('["ann","s"]', undefined),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{40}$/)
  })

  it('rejects a blank name and one that is too long', () => {
    expect(() => deriveSessionKey(' ', undefined)).toThrow(
      "'session': expected 1 to 256 characters",
    )
    expect(() => deriveSessionKey('x'.repeat(257), undefined)).toThrow('got 257')
  })
})
