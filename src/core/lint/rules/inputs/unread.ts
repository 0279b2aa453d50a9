import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleBody, exampleToml } from '../../example-skill.ts'
import { entrypointFacts, inToml } from '../../skill-facts.ts'

export const UNREAD: Rule = {
  id: 'inputs/unread',
  severity: 'info',
  what: 'A declared input is never read by the export',
  why: 'Callers take the trouble to pass a value that changes nothing.',
  example: {
    bad: {
      'skill.toml': exampleToml(
        {},
        `${EXAMPLE_TABLES}mood = { type = "string", description = "How" }\n`,
      ),
      'SKILL.md': exampleBody('Also takes `mood`.\n'),
    },
    good: {},
  },
  fix: 'Use the input, or remove it.',
  needsPython: true,
  check(skill, report) {
    const keys = entrypointFacts(skill)?.called?.argumentKeys
    if (!keys || keys.some((key) => key.name === '*')) return
    for (const name of Object.keys(skill.manifest.inputs)) {
      if (keys.some((key) => key.name === name)) continue
      report({
        ...inToml(skill, ['inputs', name], 'key'),
        message: `The input "${name}" is never read by "${skill.manifest.runtime?.export}"`,
        help: 'Read it, or remove the declaration',
      })
    }
  },
}
