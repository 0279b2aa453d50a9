import { findNearest } from '../../../../util/find-nearest.ts'
import { listParsedCode } from '../../code/code-files.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
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
    for (const { file, name, span, guess } of findMisspeltCommands(skill)) {
      const message = `The script calls "${name}", which it does not define`
      report({ file, span, message, help: `Did you mean "${guess}"?` })
    }
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

/** Commands with the name of no function of the scripts, but nearly. */
function findMisspeltCommands(skill: LintedSkill) {
  const scripts = listParsedCode(skill).filter(({ facts }) => facts.language === 'shell')
  const defined = scripts.flatMap(({ facts }) => facts.definitions)
  return scripts.flatMap(({ file, facts }) =>
    facts.commands.flatMap(({ name, span }) => {
      // Functions of authors have underscores; few programs do.
      if (!/^[a-z]+_\w+$/.test(name) || defined.includes(name) || /^(?:log|blob)_/.test(name))
        return []
      const guess = findNearest(name, defined)
      return guess === undefined ? [] : [{ file, name, span, guess }]
    }),
  )
}
