import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { listExampleCalls } from '../../examples/example-calls.ts'

export const EXAMPLE_ARGUMENTS: Rule = {
  id: 'docs/example-arguments',
  severity: 'warning',
  what: 'An example call passes an argument that is not declared',
  why: 'Models copy examples, including their mistakes.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet --arg whom=Ada\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Use the declared name, or declare the input.',
  check(skill, report) {
    const declared = Object.keys(skill.manifest.inputs)
    if (declared.length === 0) return
    for (const { file, arguments: passed, isFailure } of listExampleCalls(skill)) {
      if (isFailure) continue
      for (const { name, nameSpan } of passed) {
        if (declared.includes(name)) continue
        const guess = findNearest(name, declared)
        report({
          file,
          span: nameSpan,
          message: `The example passes "${name}", which is not declared under [inputs]`,
          help: guess ? `Did you mean "${guess}"?` : `Declared inputs: ${declared.join(', ')}`,
        })
      }
    }
  },
}
