import { expect, it } from 'vitest'
import { LoadedTexts } from '../../../src/core/skill-context/loaded-texts.ts'
import type { LoadedPart } from '../../../src/core/skill-context/session-state.ts'
import { createTestRuntime } from '../../helpers/agent.ts'

const part = (skill: string, doc: string | null): LoadedPart => ({
  skill,
  doc,
  digest: 'd',
  call: null,
})

it('an unreadable text is replaced by a reason without paths of the machine', async () => {
  const { runtime } = await createTestRuntime()
  const { repository } = runtime
  const broken: typeof repository = {
    ...repository,
    read: async () => await Promise.reject(new Error('EIO: i/o error, read /srv/private/skills')),
  }
  const shown = async (each: LoadedPart, reader = repository) => {
    const contents = new LoadedTexts()
    const loads = { agent: 'a', skills: [], parts: [each], fresh: [] }
    await contents.prepare(loads, reader)
    return contents.render(each)
  }
  expect(await shown(part('demo', null))).toContain('DEMO BODY')
  expect(await shown(part('demo', '../other/SKILL.md'))).toContain(
    "(This text is not available any more: skill 'demo' has no document '../other/SKILL.md')",
  )
  expect(await shown(part('gone', null))).toContain('unknown skill: gone')
  expect(await shown(part('demo', null), broken)).toBe(
    '[Loaded] demo\n(This text is not available any more: reading failed)',
  )
  const contents = new LoadedTexts()
  const loads = { agent: 'a', skills: [], parts: [part('demo', null)], fresh: [] }
  await contents.prepare(loads, broken)
  // A failed read is repeated.
  await contents.prepare(loads, repository)
  expect(contents.render(part('demo', null))).toContain('DEMO BODY')
})
