import { TITLES } from '../../code/code-files.ts'
import type { LintedSkill, ReportFinding, Rule } from '../../rule.ts'

export const SYNTAX_ERROR: Rule = {
  id: 'entrypoint/syntax-error',
  severity: 'error',
  what: 'A code file of the skill has a syntax error',
  why: 'The file cannot be loaded, and every call that needs it fails.',
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
    for (const { path } of skill.files) checkCode(skill, path, report)
  },
}

/** Problems of markup, of decorators and of exported types, which compilers remove. */
const COMPILED = /^Unexpected "<|^Unexpected character '@'|^Export '.*' is not defined/

function checkCode(skill: LintedSkill, path: string, report: ReportFinding): void {
  const { language, problem } = skill.getCodeFacts(path) ?? {}
  if (!language || !problem) return
  // Without a manifest, the file may be for a browser, a bundler or another runtime.
  if (!skill.manifest.runtime && COMPILED.test(problem.message)) return
  const { message, span, opener } = problem
  report({
    file: path,
    span,
    message: `Cannot parse this ${TITLES[language]}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    help: opener ? `Close the "${opener.text}"` : 'Correct the syntax',
    related:
      opener && opener.span.start !== span.start
        ? [{ file: path, span: opener.span, message: `this "${opener.text}" is not closed` }]
        : [],
  })
}
