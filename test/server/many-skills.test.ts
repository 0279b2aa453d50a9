// @module-tag slow
// @module-tag nightly
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createSkillCatalog } from '../../src/mcp/skills/skill-catalog.ts'
import { createPublishedIndex } from '../../src/server/well-known/published-index.ts'
import { createFolder } from '../helpers/skills.ts'
// @ts-expect-error benches are plain JavaScript
import { generateSkills } from '../bench/generate-skills.js'

const SKILLS = 400

/** Opens the listings of a server, as at its start. */
async function openListings(cwd: string) {
  const { config } = await loadConfig({ cwd, env: { HOME: cwd }, noFiles: true })
  const runtime = createRuntime({ config, tracking: 'pinned' })
  const index = createPublishedIndex(runtime)
  const methods: never[] = []
  const options = { runtime, methods, version: '1', instructions: () => '', onNotice: () => {} }
  const catalog = createSkillCatalog(options)
  const read = async () => {
    const start = performance.now()
    const { current } = await index.read()
    const { listed } = await catalog.readSnapshot()
    const text = Buffer.from(current.bytes).toString()
    const { skills } = JSON.parse(text) as { skills: { name: string; digest: string }[] }
    return { ms: performance.now() - start, skills, listed }
  }
  return { runtime, read }
}

/** Longest time in which the event loop did not turn. */
function watchEventLoop() {
  let longest = 0
  const state = { isOn: true }
  const done = (async () => {
    while (state.isOn) {
      const start = performance.now()
      await sleep(1)
      longest = Math.max(longest, performance.now() - start)
    }
  })()
  return async () => {
    state.isOn = false
    await done
    return longest
  }
}

describe('listings of many skills', () => {
  it('are built once per skill, in slices, and survive a restart', async () => {
    const cwd = createFolder()
    generateSkills(join(cwd, 'skills'), SKILLS)
    const first = await openListings(cwd)
    const stop = watchEventLoop()
    const built = await first.read()
    const longest = await stop()
    expect(built.skills).toHaveLength(SKILLS)
    expect(built.listed).toHaveLength(SKILLS)
    expect(longest).toBeLessThan(built.ms / 4)
    const warm = await first.read()
    expect(warm.ms).toBeLessThan(built.ms / 5)
    // The records are written after the response.
    await sleep(1000)
    writeFileSync(join(cwd, 'skills/group-0/skill-0/code/main.py'), 'def main(args): return 1\n')
    const later = await openListings(cwd)
    await later.runtime.repository.list()
    const again = await later.read()
    expect(again.ms).toBeLessThan(built.ms / 2)
    const changed = again.skills.filter(({ digest }, at) => digest !== built.skills[at]?.digest)
    expect(changed.map(({ name }) => name)).toEqual(['group0-skill0'])
  })
})
