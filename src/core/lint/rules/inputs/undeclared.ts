import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { listExportFunctions } from '../../code/export-function.ts'

export const UNDECLARED: Rule = {
  id: 'inputs/undeclared',
  severity: 'warning',
  what: 'The export reads an argument that [inputs] does not declare',
  why: 'A model knows only the declared inputs, so it never passes this one.',
  example: {
    bad: {
      'code/main.py': 'def main(args):\n    return {"who": args["who"], "mood": args["mood"]}\n',
    },
    good: {},
  },
  fix: 'Declare it under [inputs].',
  needsPython: true,
  check(skill, report) {
    const [called] = listExportFunctions(skill)
    if (!called) return
    const declared = Object.keys(skill.manifest.inputs)
    for (const { name, span } of called.attributes) {
      report({
        file: called.file,
        span,
        severity: 'error',
        message: `"${name}" is read as an attribute, but the arguments are a dict`,
        help: `Write args["${name}"]`,
      })
    }
    const seen = new Set<string>()
    for (const { name, span } of called.keys) {
      if (name === '*' || declared.includes(name) || seen.has(name)) continue
      seen.add(name)
      const guess = findNearest(name, declared)
      report({
        file: called.file,
        span,
        message: `The argument "${name}" is not declared under [inputs]`,
        help: guess
          ? `Did you mean "${guess}"?`
          : `Add ${name} = { type = "string", description = "…" } under [inputs]`,
      })
    }
  },
}
