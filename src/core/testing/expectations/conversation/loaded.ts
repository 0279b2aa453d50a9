import { isDeepStrictEqual } from 'node:util'
import { nameField, spellValue, type Field } from '../../document/field.ts'
import { defineExpectation } from '../expectation.ts'

const DESCRIPTION = 'Names of all skills that are loaded at the end; an empty list for none'
const skillName = nameField('Name of a skill')

/** A list that may be empty, in the order of names. */
const loadedField: Field<string[]> = {
  description: DESCRIPTION,
  schema: { type: 'array', items: skillName.schema, description: DESCRIPTION },
  read(value, place) {
    if (!Array.isArray(value)) return place.refuse(`Expected a list, got ${spellValue(value)}`)
    const names = value.map((each, at) => skillName.read(each, place.at(at)))
    return names.filter((each) => each !== undefined).sort()
  },
}

export const LOADED = defineExpectation({
  name: 'loaded',
  summary: 'The skills whose content a conversation has at its end, in any order',
  example: '{ loaded = ["examples.greet"] }',
  field: loadedField,
  appliesTo: ['conversation'],
  judge(names, { conversation, status }) {
    const expected = `the loaded skills to be ${formatNames(names)}`
    if (!conversation) return { isMet: false, expected, got: `the status "${status}"` }
    const actual = conversation.loaded.toSorted()
    return { isMet: isDeepStrictEqual(actual, names), expected, got: formatNames(actual) }
  },
})

function formatNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}
