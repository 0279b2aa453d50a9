import { listCheckedCalls, nameCall } from '../../examples/checked-calls.ts'
import { EXAMPLE_TABLES, createExampleMarkdown, createExampleToml } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'

const REQUIRED = createExampleToml(
  {},
  EXAMPLE_TABLES.replace('type = "string",', 'type = "string", required = true,'),
)

export const EXAMPLE_MISSING_INPUT: Rule = {
  id: 'docs/example-missing-input',
  severity: 'warning',
  what: 'An example call does not pass a required input',
  why: 'Models copy examples, and this call is refused.',
  example: {
    bad: {
      'skill.toml': REQUIRED,
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet --timeout 5s\n```\n',
      ),
    },
    good: { 'skill.toml': REQUIRED },
  },
  fix: 'Pass the input, or give it a default.',
  check(skill, report) {
    const required = Object.entries(skill.manifest.inputs)
      .filter(([, input]) => input.required && input.default === undefined)
      .map(([name]) => name)
    if (required.length === 0) return
    for (const { file, span, arguments: passed, isPartial, isFailure } of listCheckedCalls(skill)) {
      const missing = required.filter((name) => !passed.some((each) => each.name === name))
      if (missing.length === 0 || isPartial || isFailure) continue
      const list = missing.map((name) => `"${name}"`).join(', ')
      report({
        file,
        span,
        message: `The ${nameCall(file)} does not pass ${list}, which [inputs] requires`,
        help: `Add: ${missing.map((name) => (file === 'SKILL.md' ? `--arg ${name}=…` : name)).join(' ')}`,
      })
    }
  },
}
