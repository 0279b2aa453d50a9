import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

const PROBLEM_BY_KIND: Readonly<Record<string, string>> = {
  class: 'is a class, so calling it returns an object that is not JSON',
  generator: 'is a generator, so calling it returns no result',
}

export const NOT_A_FUNCTION: Rule = {
  id: 'entrypoint/not-a-function',
  severity: 'error',
  what: 'The export is a class or a generator',
  why: 'The runtime calls it once with the arguments and returns its result as JSON.',
  example: { bad: { 'code/main.py': 'class main:\n    pass\n' }, good: {} },
  fix: 'Make it a function that returns a dict, a list, a string, a number, a boolean or None.',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    const problem = entry?.called && PROBLEM_BY_KIND[entry.called.kind]
    if (entry?.called && problem)
      report({
        file: entry.file,
        span: entry.called.span,
        message: `The export "${entry.called.name}" ${problem}`,
        help: 'Write a function that returns its result',
      })
  },
}
