import {
  filledTableField,
  oneOrMoreField,
  patternField,
  textField,
  type Field,
  type FieldValues,
} from '../document/field.ts'
import type { Judgement } from './expectation.ts'

/** One text or several, all of which occur. */
export function oneOrMoreTextsField(description: string): Field<string[]> {
  return oneOrMoreField(description, textField('A part of the text'))
}

/** Keys of a condition on a text. */
export const TEXT_CONDITIONS = {
  equals: textField('The whole text'),
  contains: oneOrMoreTextsField('Texts that occur in it'),
  matches: patternField('Regular expression that matches a part of it'),
}

export type TextCondition = FieldValues<typeof TEXT_CONDITIONS>

export const textConditionField = filledTableField('Condition on a text', TEXT_CONDITIONS)

const MAX_SHOWN = 200

/** Judges a text; `name` is the subject of the sentence. */
export function judgeText(name: string, text: string, condition: TextCondition): Judgement {
  const { equals, contains = [], matches } = condition
  if (equals !== undefined && equals !== text) {
    const difference = { kind: 'text', expected: equals, actual: text } as const
    return { isMet: false, expected: `${name} to equal the text`, difference }
  }
  const missing = contains.find((part) => !text.includes(part))
  if (missing !== undefined) {
    return { isMet: false, expected: `${name} to contain ${quote(missing)}`, got: quote(text) }
  }
  if (matches && !matches.test(text)) {
    return { isMet: false, expected: `${name} to match ${String(matches)}`, got: quote(text) }
  }
  return { isMet: true, expected: describeCondition(name, condition) }
}

function describeCondition(name: string, { equals, contains, matches }: TextCondition): string {
  const parts = [
    ...(equals === undefined ? [] : [`to equal ${quote(equals)}`]),
    ...(contains ? [`to contain ${contains.map(quote).join(', ')}`] : []),
    ...(matches ? [`to match ${String(matches)}`] : []),
  ]
  return `${name} ${parts.join(' and ')}`
}

function quote(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return JSON.stringify(shown)
}
