import { rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { localHost } from '../../../../src/agent/local-host.ts'
import { createAgentSession } from '../../../../src/agent/session.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import { createTestRuntime } from '../../../helpers/agent.ts'
import { writeTree } from '../../../helpers/skills.ts'

const skillMd = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: The ${body}.\n---\n${body}\n`

it('a library notices new, edited and removed skills by itself', async () => {
  const { runtime, dir } = await createTestRuntime()
  const session = createAgentSession({ host: localHost(runtime) })
  const compose = async () => (await session.compose({ length: 1, results: new Set() })).system
  expect(await compose()).toContain('- third: The third.')
  writeTree(dir, { 'skills/fourth/SKILL.md': skillMd('fourth', 'NEW') })
  // A scan of a slow disk is not repeated at once.
  await expect.poll(compose, { timeout: 20_000 }).toContain('- fourth: The NEW.')
  await session.load({ skill: 'fourth' })
  writeFileSync(`${dir}/skills/fourth/SKILL.md`, skillMd('fourth', 'EDITED'))
  await expect.poll(compose, { timeout: 20_000 }).toContain('- fourth: The EDITED.')
  await session.load({ skill: 'fourth' })
  expect(await compose()).toContain('\nEDITED')
  writeFileSync(`${dir}/skills/third/SKILL.md`, '---\nname: third\n---\n')
  await expect
    .poll(async () => await session.problems(), { timeout: 20_000 })
    .toEqual([
      {
        kind: 'skill',
        path: `${dir}/skills/third/SKILL.md`,
        message: '"description" is missing in the front matter',
      },
    ])
  rmSync(`${dir}/skills/fourth`, { recursive: true })
  await expect.poll(compose, { timeout: 20_000 }).not.toContain('- fourth')
})

it('the list keeps its identity while nothing changed, and is fixed on request', async () => {
  const { runtime, dir } = await createTestRuntime()
  const list = await runtime.repository.list()
  expect(await runtime.repository.list()).toBe(list)
  for (const more of [{ noticesEdits: false }, { tracking: 'pinned' as const }]) {
    const fixed = createRuntime({ config: runtime.config, cacheDir: null, ...more })
    const before = await fixed.repository.list()
    writeTree(dir, { 'skills/fifth/SKILL.md': skillMd('fifth', 'NEW') })
    expect(await fixed.repository.list()).toBe(before)
    await fixed.repository.refresh()
    expect((await fixed.repository.list()).map(({ name }) => name)).toContain('fifth')
    rmSync(`${dir}/skills/fifth`, { recursive: true })
  }
})
