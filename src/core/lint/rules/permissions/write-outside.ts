import type { Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'

export const WRITE_OUTSIDE: Rule = {
  id: 'permissions/write-outside',
  severity: 'warning',
  what: 'The code writes a file outside of /workspace and /tmp',
  why: 'The rest of the sandbox is read-only, so the call fails.',
  example: {
    bad: {
      'code/main.py':
        'def main(args):\n    with open("/var/out.txt", "w") as file:\n        file.write(args["who"])\n    return {}\n',
    },
    good: {},
  },
  fix: 'Write to /workspace, or create a blob with runtime.blobs.',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of listParsedPython(skill)) {
      for (const { name, firstArgument, mode, span } of facts.calls) {
        if (name !== 'open' || !mode || !/[wax+]/.test(mode) || !firstArgument) continue
        const outside =
          firstArgument.startsWith('~') ||
          (firstArgument.startsWith('/') &&
            !/^\/(?:workspace|tmp|dev\/shm)\//.test(firstArgument) &&
            !/^\/dev\/(?:null|stdout|stderr)$/.test(firstArgument))
        if (outside)
          report({
            file,
            span,
            message: `"${firstArgument}" is not writable in a sandbox`,
            help: 'Write to /workspace, or use runtime.blobs',
          })
      }
    }
  },
}
