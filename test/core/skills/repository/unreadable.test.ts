// @module-tag readable-clone
import { chmodSync, chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { createFolder } from '../../../helpers/skills.ts'

const UNPRIVILEGED_USER = 65_534

/** Root may read every file, so the rest of a test runs as another user. */
function dropPrivileges(dir: string): void {
  if (process.geteuid?.() !== 0) return
  for (const path of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(dir, path), UNPRIVILEGED_USER, UNPRIVILEGED_USER)
  }
  chownSync(dir, UNPRIVILEGED_USER, UNPRIVILEGED_USER)
  process.seteuid?.(UNPRIVILEGED_USER)
  onTestFinished(() => process.seteuid?.(0))
}

describe('an unreadable skill', () => {
  it.each([
    ['entered or listed', 0o000],
    ['entered', 0o400],
  ])('that may not be %s is reported as a problem and hides no other skill', async (_, mode) => {
    const createMarkdown = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`
    const root = createFolder({ 'a/SKILL.md': createMarkdown('a'), 'b/SKILL.md': createMarkdown('b') })
    const at = { roots: [root], builtin: BUILTIN_SKILLS }
    expect((await openRepository(at).list()).map(({ name }) => name)).toContain('a')
    chmodSync(join(root, 'a'), mode)
    dropPrivileges(root)
    const repository = openRepository(at)
    const names = (await repository.list()).map(({ name }) => name)
    const problems = await repository.problems()
    chmodSync(join(root, 'a'), 0o700)
    expect(names).toContain('b')
    expect(names).not.toContain('a')
    expect(problems.map(({ path }) => path)).toContain(join(root, 'a'))
  })
})
