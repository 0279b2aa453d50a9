import type { Rule } from '../../rule.ts'
import { listLoadedPython } from '../../code/loaded-python.ts'

const INPUT_CALLS = new Set(['input', 'getpass.getpass', 'sys.stdin.read', 'sys.stdin.readline'])

export const INTERACTIVE_INPUT: Rule = {
  id: 'entrypoint/interactive-input',
  severity: 'error',
  what: 'The code asks for interactive input',
  why: 'A run is not interactive: standard input is empty, and the call fails or returns nothing.',
  example: {
    bad: { 'code/main.py': 'def main(args):\n    return {"who": input("Who? ")}\n' },
    good: {},
  },
  fix: 'Read the value from the arguments.',
  needsPython: true,
  check(skill, report) {
    for (const { file, facts } of listLoadedPython(skill)) {
      for (const call of facts.calls) {
        if (INPUT_CALLS.has(call.name))
          report({
            file,
            span: call.span,
            // Reading nothing is no failure.
            ...(call.name.startsWith('sys.stdin') && { severity: 'warning' }),
            message: `"${call.name}" waits for interactive input, which a run does not have`,
            help: 'Declare an input and read it from args',
          })
      }
    }
  },
}
