import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

export const GUARDED_EXPORT: Rule = {
  id: 'entrypoint/guarded-export',
  severity: 'error',
  what: 'The export is defined only when the file runs as a script',
  why: 'The runtime imports the file, so definitions under the __main__ check do not exist.',
  example: {
    bad: { 'code/main.py': 'if __name__ == "__main__":\n    def main(args):\n        return {}\n' },
    good: {},
  },
  fix: 'Move the function out of the __main__ check.',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    const name = skill.manifest.runtime?.export
    if (!entry || entry.called) return
    const guarded = entry.facts.functions.find((each) => each.name === name && each.guarded)
    if (guarded)
      report({
        file: entry.file,
        span: guarded.span,
        message: `"${guarded.name}" is defined only under the __main__ check`,
        help: 'Move it to the top level of the file',
      })
  },
}
