import { choiceField } from '../document/field.ts'
import { defineExpectation } from './expectation.ts'

export const STATUS = defineExpectation({
  name: 'status',
  summary: 'The end of the run: completed, failed, or refused before it started',
  example: '{ status = "completed" }',
  field: choiceField('The end of the run', ['completed', 'failed', 'refused']),
  judge(expected, { status, error }) {
    const reason = error ? `: ${error.type}: ${error.message}` : ''
    return {
      isMet: status === expected,
      expected: `the status "${expected}"`,
      got: `"${status}"${reason}`,
    }
  },
})
