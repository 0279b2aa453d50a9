import type { Rule } from '../../rule.ts'
import { getEntrypointFacts } from '../../skill-facts.ts'

export const RELATIVE_IMPORT: Rule = {
  id: 'entrypoint/relative-import',
  severity: 'error',
  what: 'The entrypoint uses a relative import',
  why: 'The entrypoint is a top-level module, not part of a package, so "from . import x" fails.',
  example: {
    bad: {
      'code/main.py':
        'from . import helper\n\n\ndef main(args):\n    return {"who": helper.name(args["who"])}\n',
      'code/helper.py': 'def name(who):\n    return who\n',
    },
    good: {},
  },
  fix: 'Write import helper: the code folder is on the import path.',
  needsPython: true,
  check(skill, report) {
    const entry = getEntrypointFacts(skill)
    for (const { level, span } of entry?.facts.imports ?? []) {
      if (entry && level > 0)
        report({
          file: entry.file,
          span,
          message: 'The entrypoint is not part of a package, expected an absolute import',
          help: 'Write "import helper" or "from helper import …"',
        })
    }
  },
}
