import { expect, it } from 'vitest'
import { LoadedTexts } from '../../../src/core/skill-context/loaded-texts.ts'
import type { LoadedPart } from '../../../src/core/skill-context/session-state.ts'
import { createTestRuntime } from '../../helpers/agent.ts'

const createPart = (skill: string, doc: string | null): LoadedPart => ({
  skill,
  doc,
  digest: 'd',
  call: null,
})

it('an unreadable text is replaced by a reason without paths of the machine', async () => {
  const { runtime } = await createTestRuntime()
  const { repository } = runtime
  const unreadable: typeof repository = {
    ...repository,
    read: async () => await Promise.reject(new Error('EIO: i/o error, read /srv/private/skills')),
  }
  const renderParts = async (each: LoadedPart, reader = repository) => {
    const contents = new LoadedTexts()
    const loads = { agent: 'a', skills: [], parts: [each], fresh: [] }
    await contents.prepare(loads, reader)
    return contents.render(each)
  }
  expect(await renderParts(createPart('demo', null))).toContain('DEMO BODY')
  expect(await renderParts(createPart('demo', '../other/SKILL.md'))).toContain(
    "(This text is not available any more: skill 'demo' has no document '../other/SKILL.md')",
  )
  expect(await renderParts(createPart('gone', null))).toContain('unknown skill: gone')
  expect(await renderParts(createPart('demo', null), unreadable)).toBe(
    '[Loaded] demo\n(This text is not available any more: reading failed)',
  )
  const contents = new LoadedTexts()
  const loads = { agent: 'a', skills: [], parts: [createPart('demo', null)], fresh: [] }
  await contents.prepare(loads, unreadable)
  // A failed read is repeated.
  await contents.prepare(loads, repository)
  expect(contents.render(createPart('demo', null))).toContain('DEMO BODY')
})
