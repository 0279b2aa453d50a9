import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

export const DUPLICATE_EXPORT: Rule = {
  id: 'entrypoint/duplicate-export',
  severity: 'warning',
  what: 'The export is defined more than once',
  why: 'Only the last definition takes effect; the others are never called.',
  example: {
    bad: {
      'code/main.py':
        'def main(args):\n    return {"a": args}\n\n\ndef main(args):\n    return {"who": args.get("who")}\n',
    },
    good: {},
  },
  fix: 'Remove the definitions without effect.',
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
        message: `"${other.name}" is defined again further down, so this definition has no effect`,
        help: 'Remove it',
        related: [
          { file: entry.file, span: entry.called.span, message: 'this definition takes effect' },
        ],
      })
    }
  },
}
