import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { findUnimportablePart } from '../../../skills/manifest/module-name.ts'
import { locateInToml, getToml, getValidName } from '../../skill-facts.ts'

export const NOT_IMPORTABLE: Rule = {
  id: 'naming/not-importable',
  severity: 'warning',
  what: "A segment of an action skill's name is not a valid Python module name",
  why: 'Code that mounts the skill imports it as skills.<name>; a keyword or a leading digit makes that a syntax error.',
  example: { bad: { 'skill.toml': createExampleToml({ name: '"demo.import"' }) }, good: {} },
  fix: 'Rename the segment.',
  check(skill, report) {
    const name = getValidName(skill)
    if (!getToml(skill) || !name || skill.manifest.kind !== 'action') return
    const segment = findUnimportablePart(name)
    if (segment === undefined) return
    report({
      ...locateInToml(skill, ['name']),
      message: `"from skills.${name.replaceAll('-', '_')} import …" is not valid Python because of "${segment}"`,
      help: 'Rename the segment so that it starts with a letter and is not a keyword',
    })
  },
}
