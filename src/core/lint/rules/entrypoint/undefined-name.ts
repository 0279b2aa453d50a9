import { listParsedCode } from '../../code/code-files.ts'
import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'

export const UNDEFINED_NAME: Rule = {
  id: 'entrypoint/undefined-name',
  severity: 'error',
  what: 'The code reads a name that neither the file nor its language defines',
  why: 'The call fails when it reaches the name; a variable of a script is empty.',
  example: {
    bad: { 'code/main.py': 'def main(args):\n    return {"greeting": gretting(args["who"])}\n' },
    good: {},
  },
  fix: 'Correct the name, define it, or import it.',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of [...listParsedPython(skill), ...listParsedCode(skill)]) {
      const isShell = 'language' in facts && facts.language === 'shell'
      for (const { name, span } of facts.undefinedNames) {
        const isCommon = /^(?:require|module|exports|__(?:file|dir)name)$/.test(name)
        report({
          file,
          span,
          message: isCommon
            ? `"${name}" does not exist in a module, which a file with import or export is`
            : `"${name}" is not defined`,
          help: isCommon
            ? 'Write import instead, and import.meta.url for the place of the file'
            : 'Correct the name, or import it',
          ...(isShell && { severity: 'warning' }),
        })
      }
    }
  },
}
