import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

export const WRONG_ARGUMENTS: Rule = {
  id: 'entrypoint/wrong-arguments',
  severity: 'error',
  what: 'The export cannot be called with one positional argument',
  why: 'The runtime calls export(args) with the arguments as one dict.',
  example: { bad: { 'code/main.py': 'def main(who, greeting):\n    return {}\n' }, good: {} },
  fix: 'Accept exactly one argument: def main(args).',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    const called = entry?.called
    if (!entry || !called || called.kind === 'class') return
    const wrong =
      called.required > 1
        ? `needs ${called.required} arguments`
        : called.maximum < 1
          ? 'accepts no argument'
          : called.requiredKeywords.length > 0
            ? `needs the keyword ${called.requiredKeywords.map((each) => `"${each}"`).join(', ')}`
            : undefined
    if (wrong)
      report({
        file: entry.file,
        span: called.span,
        message: `The export "${called.name}" ${wrong}, expected one positional argument, a dict`,
        help: `Write: def ${called.name}(args):`,
      })
  },
}
