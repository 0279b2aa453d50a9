import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

export const DUPLICATE_EXPORT: Rule = {
  id: 'entrypoint/duplicate-export',
  severity: 'warning',
  what: 'The export is defined more than once',
  why: 'Only the last definition counts; the others look alive but are not.',
  example: {
    bad: {
      'code/main.py':
        'def main(args):\n    return {"a": args}\n\n\ndef main(args):\n    return {"who": args.get("who")}\n',
    },
    good: {},
  },
  fix: 'Remove the definitions that do not count.',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    if (!entry?.called) return
    const others = entry.facts.functions.filter(
      (each) => each.name === entry.called?.name && !each.guarded && each !== entry.called,
    )
    for (const other of others) {
      report({
        file: entry.file,
        span: other.span,
        message: `"${other.name}" is defined again further down, this definition never counts`,
        help: 'Remove it',
        related: [{ file: entry.file, span: entry.called.span, message: 'this one counts' }],
      })
    }
  },
}
