import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'
import { STANDARD_MODULES } from '../../python/standard-modules.ts'

export const UNKNOWN_IMPORT: Rule = {
  id: 'entrypoint/unknown-import',
  severity: 'warning',
  what: "The code imports a module that is neither in Python's standard library nor in the skill",
  why: 'A run imports only what the skill pins; the packages of the machine are visible only with --host-packages.',
  example: {
    bad: {
      'code/main.py':
        'import pandas\n\n\ndef main(args):\n    return {"rows": len(pandas.read_csv(args["who"]))}\n',
    },
    good: {},
  },
  fix: 'Use the standard library, pin the package in the lock file that dependencies.python in skill.toml names, ship the module in code/, or suppress the rule if the skill always runs with --host-packages.',
  needsPython: true,
  check(skill, report) {
    // A lock file lists packages, not the names of their modules.
    if (skill.manifest.dependencies) return
    const own = listOwnModules(skill)
    for (const { file, facts } of listParsedPython(skill)) {
      if (!file.startsWith(getCodeFolder(skill))) continue
      const seen = new Set<string>()
      for (const { module, level, span } of facts.imports) {
        const top = module.split('.')[0] as string
        if (level > 0 || top === '' || seen.has(top) || own.has(top) || STANDARD_MODULES.has(top))
          continue
        seen.add(top)
        report({
          file,
          span,
          message: `"${top}" is neither in Python's standard library nor in the skill`,
          help: `Pin it in the lock file that dependencies.python in skill.toml names, or ship it in ${getCodeFolder(skill) || 'the skill'}`,
        })
      }
    }
  },
}

function getCodeFolder(skill: Parameters<Rule['check']>[0]): string {
  const folder = skill.manifest.runtime?.entrypoint.split('/').slice(0, -1).join('/')
  return folder ? `${folder}/` : ''
}

function listOwnModules(skill: Parameters<Rule['check']>[0]): Set<string> {
  const prefix = getCodeFolder(skill)
  const own = new Set(['runtime', 'skills', '__future__'])
  for (const { path, type } of skill.files) {
    if (!path.startsWith(prefix)) continue
    const [first = '', ...rest] = path.slice(prefix.length).split('/')
    if (rest.length === 0 && type === 'file' && first.endsWith('.py')) own.add(first.slice(0, -3))
    else if (type === 'directory' || rest.length > 0) own.add(first)
  }
  return own
}
