import type { Rule } from '../../rule.ts'

export const SYNTAX_ERROR: Rule = {
  id: 'entrypoint/syntax-error',
  severity: 'error',
  what: 'A Python file of the skill has a syntax error',
  why: 'The import fails, and with it every call.',
  example: { bad: { 'code/main.py': 'def main(args)\n    return {}\n' }, good: {} },
  fix: 'Correct the syntax at the reported position.',
  needsPython: true,
  check(skill, report) {
    for (const { path, type } of skill.files) {
      const problem =
        type === 'file' && path.endsWith('.py') ? skill.getPythonFacts(path)?.problem : undefined
      if (!problem) continue
      const old = /Missing parentheses in call to 'print'/.test(problem.message)
      report({
        file: path,
        span: problem.span,
        message: `Python cannot parse this: ${problem.message}`,
        help: old ? 'This is Python 2; write Python 3' : 'Correct the syntax',
      })
    }
  },
}
