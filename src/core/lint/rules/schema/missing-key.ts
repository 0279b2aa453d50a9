import type { Edit, Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { tomlOf } from '../../skill-facts.ts'

const REQUIRED = ['name', 'version', 'description'] as const

export const MISSING_KEY: Rule = {
  id: 'schema/missing-key',
  severity: 'error',
  what: 'skill.toml lacks name, version or description',
  why: 'The name and version identify a skill, the description is what a model chooses by.',
  example: { bad: { 'skill.toml': exampleToml({ version: null }) }, good: {} },
  fix: 'Add the key. A missing version can be added as 0.1.0 by --fix-unsafe.',
  fixable: 'unsafe',
  check(skill, report) {
    const data = tomlOf(skill)
    if (!data) return
    for (const key of REQUIRED) {
      if (data[key] !== undefined) continue
      const edits: Edit[] =
        key === 'version'
          ? [
              {
                kind: 'replace',
                file: 'skill.toml',
                span: { start: 0, end: 0 },
                text: 'version = "0.1.0"\n',
              },
            ]
          : []
      report({
        file: 'skill.toml',
        span: { start: 0, end: 0 },
        message: `"${key}" is missing, expected ${key} = "…"`,
        help: `Add ${key} at the top of skill.toml`,
        edits,
        unsafe: true,
      })
    }
  },
}
