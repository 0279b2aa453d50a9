import { listExportFunctions } from '../../code/export-function.ts'
import type { Rule } from '../../rule.ts'

export const PROCESS_EXIT: Rule = {
  id: 'entrypoint/process-exit',
  severity: 'error',
  what: 'The export ends the process instead of returning',
  why: 'The run fails without a result, whatever the exit code is.',
  example: {
    bad: {
      'code/main.py':
        'import sys\n\n\ndef main(args):\n    if not args.get("who"):\n        sys.exit(1)\n    return {"who": args["who"]}\n',
    },
    good: {},
  },
  fix: 'Return a result, or raise an error with a message.',
  needsPython: true,
  check(skill, report) {
    for (const { file, exits } of listExportFunctions(skill)) {
      for (const { name, span } of exits) {
        report({
          file,
          span,
          message: `"${name}" ends the run without a result`,
          help: 'Return a result, or raise an error with a message',
        })
      }
    }
  },
}
