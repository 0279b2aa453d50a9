import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

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
    const entry = getEntrypointFacts(skill)
    if (!entry?.called) return
    const declared = Object.keys(skill.manifest.inputs)
    const seen = new Set<string>()
    for (const { name, span } of entry.called.argumentKeys) {
      if (name === '*' || declared.includes(name) || seen.has(name)) continue
      seen.add(name)
      const guess = findNearest(name, declared)
      report({
        file: entry.file,
        span,
        message: `The argument "${name}" is not declared under [inputs]`,
        help: guess
          ? `Did you mean "${guess}"?`
          : `Add ${name} = { type = "string", description = "…" } under [inputs]`,
      })
    }
  },
}
