import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'

/** Functions of Python that start a program. */
export const PROCESS_CALLS =
  /^(?:os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)|subprocess\.(?:run|Popen|call|check_call|check_output|getoutput|getstatusoutput)|pty\.spawn)$/

export const SUBPROCESS: Rule = {
  id: 'permissions/subprocess',
  severity: 'info',
  what: 'The code starts other programs',
  why: "A sandbox has few programs, and they count against the run's limits.",
  example: {
    bad: {
      'code/main.py':
        'import subprocess\n\n\ndef main(args):\n    return {"who": subprocess.run(["id", args["who"]], capture_output=True).stdout.decode()}\n',
    },
    good: {},
  },
  fix: 'Use a library function if there is one; otherwise list the required programs in SKILL.md.',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of listParsedPython(skill)) {
      const found = facts.calls.find((call) => PROCESS_CALLS.test(call.name))
      if (found)
        report({
          file,
          span: found.span,
          message: `"${found.name}" starts another program, which the sandbox may not have`,
          help: 'List the required programs in SKILL.md, or use a library',
        })
    }
  },
}
