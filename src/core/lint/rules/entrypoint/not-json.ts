import { listExportFunctions } from '../../code/export-function.ts'
import type { Rule } from '../../rule.ts'

export const NOT_JSON: Rule = {
  id: 'entrypoint/not-json',
  severity: 'error',
  what: 'The export returns a value that JSON does not have',
  why: 'A result is JSON: the run fails after the work is done.',
  example: {
    bad: {
      'code/main.py': 'def main(args):\n    return {"who": {args["who"], "world"}}\n',
    },
    good: {},
  },
  fix: 'Convert it to a list, a string or a number, or write it into a blob.',
  needsPython: true,
  check(skill, report) {
    for (const { file, results } of listExportFunctions(skill)) {
      for (const { name, span } of results) {
        report({
          file,
          span,
          message: `The export returns ${name}, expected JSON`,
          help: 'Convert it to a list, a string or a number, or write it into a blob',
        })
      }
    }
  },
}
