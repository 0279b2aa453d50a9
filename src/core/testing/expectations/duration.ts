import { durationField, requiredField, tableField } from '../document/field.ts'
import { defineExpectation } from './expectation.ts'

export const DURATION = defineExpectation({
  name: 'duration',
  summary: 'The time of the run; leave room, because machines differ',
  example: '{ duration = { below = "5s" } }',
  field: tableField('The time of the run', {
    below: requiredField(durationField('Upper bound, such as 5s')),
  }),
  judge({ below = 0 }, { durationMs }) {
    const got = `${Math.round(durationMs)} ms`
    return { isMet: durationMs < below, expected: `a run below ${below} ms`, got }
  },
})
