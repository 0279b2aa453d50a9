import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { locateInToml } from '../../skill-facts.ts'

export const UNDOCUMENTED: Rule = {
  id: 'inputs/undocumented',
  severity: 'warning',
  what: 'SKILL.md does not mention an input',
  why: 'A model reads SKILL.md before the call and does not use inputs that are not mentioned.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nSays hello.\n\n## Example\n\n```sh\nskills exec demo.greet\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Mention every input in SKILL.md and describe it.',
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
        help: `Describe "${name}" in SKILL.md`,
      })
    }
  },
}
