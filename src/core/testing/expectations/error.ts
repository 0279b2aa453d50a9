import { filledTableField, nameField } from '../document/field.ts'
import { defineExpectation } from './expectation.ts'
import { judgeText, textConditionField } from './text-condition.ts'

export const ERROR = defineExpectation({
  name: 'error',
  summary: 'The error of a run that failed or was refused',
  example: '{ error = { type = "ValueError", message = { contains = "amount" } } }',
  field: filledTableField('The error of the run', {
    type: nameField('Class of the exception, type of the failure, or code of the refusal'),
    message: textConditionField,
  }),
  judge({ type, message }, { error, status }) {
    if (!error) return { isMet: false, expected: 'an error', got: `the status "${status}"` }
    if (type !== undefined && error.type !== type) {
      const got = `"${error.type}": ${error.message}`
      return { isMet: false, expected: `the error "${type}"`, got }
    }
    if (message) return judgeText('the message of the error', error.message, message)
    return { isMet: true, expected: `the error "${error.type}"` }
  },
})
