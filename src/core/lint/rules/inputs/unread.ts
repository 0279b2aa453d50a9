import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, extendExampleBody, createExampleToml } from '../../example-skill.ts'
import { getEntrypointFacts, locateInToml } from '../../skill-facts.ts'

export const UNREAD: Rule = {
  id: 'inputs/unread',
  severity: 'info',
  what: 'A declared input is never read by the export',
  why: 'Callers take the trouble to pass a value that changes nothing.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        `${EXAMPLE_TABLES}mood = { type = "string", description = "How" }\n`,
      ),
      'SKILL.md': extendExampleBody('Also takes `mood`.\n'),
    },
    good: {},
  },
  fix: 'Use the input, or remove it.',
  needsPython: true,
  check(skill, report) {
    const keys = getEntrypointFacts(skill)?.called?.argumentKeys
    if (!keys || keys.some((key) => key.name === '*')) return
    for (const name of Object.keys(skill.manifest.inputs)) {
      if (keys.some((key) => key.name === name)) continue
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `The input "${name}" is never read by "${skill.manifest.runtime?.export}"`,
        help: 'Read it, or remove the declaration',
      })
    }
  },
}
