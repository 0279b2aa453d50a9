import { textField } from '../document/field.ts'
import { fitsElidedText } from './elided-text.ts'
import { defineExpectation } from './expectation.ts'

/** The output of a documented command. Suites use stdout and stderr instead. */
export const TRANSCRIPT = defineExpectation({
  name: 'transcript',
  summary: 'The output that SKILL.md shows',
  example: '',
  field: textField('The output'),
  judge(expected, { stdout, stderr }) {
    const actual = [stdout, stderr].filter((text) => text !== '').join('')
    const difference = { kind: 'text', expected, actual } as const
    const isMet = fitsElidedText(expected.trimEnd(), actual.trimEnd())
    return { isMet, expected: 'the documented output', difference }
  },
})
