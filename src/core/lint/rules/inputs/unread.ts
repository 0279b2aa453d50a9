import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, extendExampleBody, createExampleToml } from '../../example-skill.ts'
import { getEntrypointFacts, locateInToml } from '../../skill-facts.ts'

export const UNREAD: Rule = {
  id: 'inputs/unread',
  severity: 'info',
  what: 'The export never reads a declared input',
  why: 'Callers pass a value that has no effect.',
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
  fix: 'Read the input, or remove it.',
  needsPython: true,
  check(skill, report) {
    const keys = getEntrypointFacts(skill)?.called?.argumentKeys
    if (!keys || keys.some((key) => key.name === '*')) return
    for (const name of Object.keys(skill.manifest.inputs)) {
      if (keys.some((key) => key.name === name)) continue
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `"${skill.manifest.runtime?.export}" never reads the input "${name}"`,
        help: 'Read it, or remove the declaration',
      })
    }
  },
}
