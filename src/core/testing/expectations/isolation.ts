import { choiceField, filledTableField, flagField, nameField } from '../document/field.ts'
import { defineExpectation } from './expectation.ts'

const FIELDS = {
  tier: choiceField('Strength of the isolation', ['strict', 'weak', 'none']),
  backend: nameField('Name of the backend'),
  network: choiceField('Network of the run', ['none', 'filtered', 'host']),
  seccomp: flagField('True if a filter of system calls was applied'),
  landlock: flagField('True if Landlock keeps files outside of the root closed'),
}

export const ISOLATION = defineExpectation({
  name: 'isolation',
  summary: 'The isolation that was applied to the run',
  example: '{ isolation = { network = "none" } }',
  field: filledTableField('The isolation that was applied', FIELDS),
  judge(wanted, { isolation, status }) {
    const parts = Object.entries(wanted).map(([name, value]) => `${name} ${String(value)}`)
    const expected = `the isolation ${parts.join(', ')}`
    if (!isolation) return { isMet: false, expected, got: `none, with the status "${status}"` }
    const facts: Readonly<Record<string, unknown>> = { ...isolation }
    const wrong = Object.entries(wanted).filter(([name, value]) => facts[name] !== value)
    const got = wrong.map(([name]) => `${name} ${String(facts[name])}`).join(', ')
    return { isMet: wrong.length === 0, expected, ...(got !== '' && { got }) }
  },
})
