import { dirname, join } from 'node:path'
import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { once } from '../../../src/util/once.ts'
import { lintFolder } from '../../helpers/rule-examples.ts'
import { createFolder } from '../../helpers/skills.ts'
import { FAULTS, type Fault } from './faults/faults.ts'
import { MORE_FAULTS } from './faults/more-faults.ts'
import { SKILLS } from './faults/skills.ts'

const ALL: readonly Fault[] = [FAULTS, MORE_FAULTS].flatMap((each) => Object.values(each).flat())

/** One lint of all faults: one per fault would start Python a hundred times. */
const lintFaults = once(async () => {
  const root = createFolder()
  for (const [at, [skill, file, before, after]] of ALL.entries()) {
    const files: Record<string, string> = { ...SKILLS[skill] }
    const text = files[file] ?? ''
    expect(text, before).toContain(before)
    writeSkill(join(root, String(at), 'weather'), {
      ...files,
      [file]: text.replace(before, () => after),
    })
  }
  return await lintFolder(root, { roots: [], rules: { 'naming/duplicate-skill': 'off' } })
})

function writeSkill(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { mode: 0o644 })
  }
}

describe('faults that authors make', () => {
  it.each(Object.keys(SKILLS))('the skill in %s has no findings without a fault', async (name) => {
    const root = createFolder()
    writeSkill(join(root, 'weather'), SKILLS[name as keyof typeof SKILLS])
    const { findings } = await lintFolder(root)
    expect(findings.map(({ rule, path, message }) => `${rule} ${path} ${message}`)).toEqual([])
  })

  it.each(ALL.map((fault, at) => [`${fault[1]} of ${fault[0]}: ${fault[3].trim()}`, at] as const))(
    'lint finds %s',
    async (_, at) => {
      const { findings } = await lintFaults()
      const [skill, file, before, after] = ALL[at] as Fault
      const text = SKILLS[skill][file as 'SKILL.md']
      const changed = text.replace(before, () => after)
      const own = findings.filter((each) => each.skill.split('/').at(-2) === String(at))
      const found = own.filter(({ severity }) => severity !== 'info')
      // The fault is where the texts begin to differ, up to where they are equal again.
      const first = changed.slice(0, countSame(text, changed)).split('\n').length
      const last = first + after.split('\n').length
      const isAtPlace = found.some(
        (each) =>
          // The file that has no export is named where the manifest asks for it.
          (each.rule === 'entrypoint/not-exported' && each.file === 'skill.toml') ||
          (each.file === file &&
            (each.start?.line ?? 1) >= first - 1 &&
            (each.start?.line ?? 1) <= last),
      )
      const shown = own.map(
        (each) => `${each.severity} ${each.rule} ${each.file}:${each.start?.line} ${each.message}`,
      )
      expect(isAtPlace, shown.join('\n') || 'no finding').toBe(true)
    },
  )
})

function countSame(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
