import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { locateInToml } from '../../skill-facts.ts'

export const UNDOCUMENTED: Rule = {
  id: 'inputs/undocumented',
  severity: 'warning',
  what: 'SKILL.md does not mention an input',
  why: 'SKILL.md is what a model reads before the call; what is not there is not used.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nSays hello.\n\n## Example\n\n```sh\nskills exec demo.greet\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Name every input in SKILL.md and say what it means.',
  check(skill, report) {
    const { markdown } = skill
    if (!skill.toml || !markdown || skill.manifest.kind !== 'action') return
    const body = markdown.text.slice(markdown.bodyStart)
    if (body.trim() === '') return
    for (const name of Object.keys(skill.manifest.inputs)) {
      if (body.includes(name)) continue
      report({
        ...locateInToml(skill, ['inputs', name], 'key'),
        message: `SKILL.md does not mention the input "${name}"`,
        help: `Say in SKILL.md what "${name}" means`,
      })
    }
  },
}
