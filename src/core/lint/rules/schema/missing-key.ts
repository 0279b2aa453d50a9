import { REQUIRED_KEYS } from '../../../skills/manifest/fields.ts'
import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { getToml, toTomlString } from '../../skill-facts.ts'
import { isMisplaced } from '../../stray-keys.ts'
import { addTopLevelLine } from '../../fix/add-top-level-line.ts'

export const MISSING_KEY: Rule = {
  id: 'schema/missing-key',
  severity: 'error',
  what: 'name, version or description is missing in skill.toml',
  why: 'The name and version identify a skill; models choose it by its description.',
  example: { bad: { 'skill.toml': createExampleToml({ version: null }) }, good: {} },
  fix: 'Add the key. --fix-unsafe adds version 0.1.0, and the description of SKILL.md if it has one.',
  fixable: 'unsafe',
  check(skill, report) {
    const data = getToml(skill)
    if (!data) return
    for (const key of REQUIRED_KEYS) {
      if (data[key] !== undefined || isMisplaced(skill, key)) continue
      report({
        file: 'skill.toml',
        span: { start: 0, end: 0 },
        message: `"${key}" is missing, expected ${key} = "…"`,
        help: `Add ${key} above the first table of skill.toml`,
        edits: addMissingKey(skill, key),
        unsafe: true,
      })
    }
  },
}

/** Adds a line for a key whose value can be derived; the name is the author's choice. */
function addMissingKey(skill: LintedSkill, key: (typeof REQUIRED_KEYS)[number]): LintEdit[] {
  const { description, short_description: short } = skill.manifest.frontMatter
  if (key === 'version') return addTopLevelLine(skill, 'version = "0.1.0"')
  const source = [description, short].find((each) => typeof each === 'string' && each.trim() !== '')
  if (key !== 'description' || typeof source !== 'string') return []
  return addTopLevelLine(skill, `description = ${toTomlString(source.trim().replace(/\s+/g, ' '))}`)
}
