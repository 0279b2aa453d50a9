import type { Rule } from '../../rule.ts'
import { listLoadedPython } from '../../code/loaded-python.ts'

const HARMLESS_CALLS =
  /^(?:logging\.|warnings\.|sys\.path\.|os\.environ\.setdefault|load_dotenv|register|atexit\.|random\.seed|locale\.setlocale)/

export const WORK_AT_IMPORT: Rule = {
  id: 'entrypoint/work-at-import',
  severity: 'warning',
  what: 'A file executes calls when it is imported',
  why: 'The calls run before the arguments are known, and in every program that only mounts the skill.',
  example: {
    bad: {
      'code/main.py':
        'print("loading")\n\n\ndef main(args):\n    return {"who": args.get("who")}\n',
    },
    good: {},
  },
  fix: 'Move the call into a function, or under if __name__ == "__main__".',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of listLoadedPython(skill)) {
      for (const call of facts.topLevelCalls) {
        if (HARMLESS_CALLS.test(call.name)) continue
        report({
          file,
          span: call.span,
          message: `"${call.name}(…)" runs when the file is imported`,
          help: 'Move it into the export, or under if __name__ == "__main__"',
        })
      }
    }
  },
}
