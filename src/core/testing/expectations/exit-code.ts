import { countField } from '../document/field.ts'
import { defineExpectation } from './expectation.ts'

export const EXIT_CODE = defineExpectation({
  name: 'exit_code',
  summary: 'The exit code of a program',
  example: '{ exit_code = 2 }',
  field: countField('The exit code of a program'),
  appliesTo: ['command'],
  judge(expected, { exitCode, stderr }) {
    const reason = stderr === '' ? '' : `: ${stderr.trimEnd().split('\n').at(-1)}`
    return {
      isMet: exitCode === expected,
      expected: `the exit code ${expected}`,
      got: `${exitCode === null ? 'none' : exitCode}${reason}`,
    }
  },
})
