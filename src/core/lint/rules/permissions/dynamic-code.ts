import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'

/** Functions of Python that execute their argument. */
export const DYNAMIC_CALLS: ReadonlySet<string> = new Set([
  'eval',
  'exec',
  'compile',
  'pickle.loads',
  'pickle.load',
  'marshal.loads',
  'yaml.load',
  'yaml.unsafe_load',
])

export const DYNAMIC_CODE: Rule = {
  id: 'permissions/dynamic-code',
  severity: 'warning',
  what: 'The code executes strings or data as code',
  why: 'A caller who controls the arguments then controls the run, its secrets and its network.',
  example: {
    bad: { 'code/main.py': 'def main(args):\n    return {"who": eval(args["who"])}\n' },
    good: {},
  },
  fix: 'Parse with json or ast.literal_eval, and select functions from a table.',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of listParsedPython(skill)) {
      for (const call of facts.calls) {
        if (DYNAMIC_CALLS.has(call.name) && call.firstArgument === null)
          report({
            file,
            span: call.span,
            message: `"${call.name}" executes its argument as code`,
            help: 'Use json.loads or ast.literal_eval, or a table of functions',
          })
      }
    }
  },
}
