// @module-tag slow
// @module-tag nightly
import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createExampleMarkdown,
  createExampleToml,
} from '../../../../src/core/lint/example-skill.ts'
import { RULES } from '../../../../src/core/lint/rules/index.ts'
import { findSkillsBelow } from '../../../../src/core/lint/targets.ts'
import { lintFolder } from '../../../helpers/rule-examples.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'
import { createBrokenSkill } from './broken-skills.ts'
import { findRefusal, openRuntimeWithRoots } from './find-refusal.ts'

const SEED = 14

/** Generated folders contain equal skills on purpose, so duplicates are not checked. */
const ALONE = RULES.filter(({ id }) => id !== 'naming/duplicate-skill')

/** Returns the folders of skills that pass lint. */
async function findCleanSkills(root: string, options: Parameters<typeof lintFolder>[1] = {}) {
  const { findings, failures } = await lintFolder(root, options)
  expect(failures).toEqual([])
  const broken = new Set(
    findings.filter(({ severity }) => severity === 'error').map(({ skill }) => skill),
  )
  return findSkillsBelow(root).filter((dir) => !broken.has(dir))
}

describe('a skill without lint errors', () => {
  it('can be listed, described and started, whatever is wrong with its manifests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(createBrokenSkill(), { minLength: 1, maxLength: 30 }),
        async (trees) => {
          const base = createFolder()
          for (const [at, tree] of trees.entries())
            writeTree(join(base, `${at}`, tree.folder), tree.files)
          for (const dir of await findCleanSkills(base, { only: ALONE })) {
            const runtime = await openRuntimeWithRoots([join(dir, '..')])
            expect(await findRefusal(runtime, dir)).toBeUndefined()
          }
        },
      ),
      { numRuns: 10, seed: SEED },
    )
  }, 180_000)

  it('is the one that is found, wherever others with its name are', async () => {
    const name = fc.constantFrom('a', 'a-b', 'b', 'B')
    const path = fc.array(name, { minLength: 1, maxLength: 12 })
    const identity = fc.tuple(
      fc.constantFrom('demo.a', 'demo.b'),
      fc.constantFrom('1.0.0', '1.0.0+x'),
    )
    const skills = fc.array(fc.tuple(path, identity), { minLength: 2, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(skills, fc.boolean(), async (planted, isTurned) => {
        const base = createFolder({ 'x/.keep': '', 'y/.keep': '' })
        for (const [at, [way, [id, version]]] of planted.entries()) {
          const toml = createExampleToml(
            { name: `"${id}"`, version: `"${version}"`, kind: '"instruction"' },
            '',
          )
          const files = { 'skill.toml': toml, 'SKILL.md': createExampleMarkdown() }
          writeTree(join(base, at % 2 === 0 ? 'x' : 'y', ...way), files)
        }
        const roots = [join(base, 'x'), join(base, 'y')]
        if (isTurned) roots.reverse()
        const runtime = await openRuntimeWithRoots(roots)
        for (const dir of await findCleanSkills(base, { roots })) {
          expect(await findRefusal(runtime, dir)).toBeUndefined()
        }
      }),
      { numRuns: 40, seed: SEED },
    )
  })
})
