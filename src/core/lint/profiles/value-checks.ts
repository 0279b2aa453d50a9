import { findNearest } from '../../../util/find-nearest.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { describeAgentNameProblem } from '../agent-skill.ts'
import { describeType, quoteValue } from '../skill-facts.ts'
import type { ValueCheck } from './host.ts'

/** Length in code points, as hosts count it. */
function countCharacters(text: string): number {
  return [...text].length
}

export const checkFlag: ValueCheck = (value) => {
  if (typeof value === 'boolean') return undefined
  const help = typeof value === 'string' ? 'Remove the quotes, and write true or false' : undefined
  return {
    message: `is ${describeScalar(value)}, expected true or false`,
    help: help ?? 'Write true or false',
  }
}

export const checkText: ValueCheck = (value) =>
  typeof value === 'string'
    ? undefined
    : { message: `is ${describeType(value)}, expected a string` }

export const checkTexts: ValueCheck = (value) => {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (typeof value === 'string' || isList) return undefined
  return { message: `is ${describeType(value)}, expected a string or a list of strings` }
}

export function createChoiceCheck(choices: readonly string[]): ValueCheck {
  return (value) => {
    if (typeof value === 'string' && choices.includes(value)) return undefined
    const guess = typeof value === 'string' ? findNearest(value, choices) : undefined
    return {
      message: `is ${describeScalar(value)}, expected ${choices.join(', ')}`,
      help: `Write ${guess ?? choices[0]}`,
    }
  }
}

export function createTextCheck(max: number): ValueCheck {
  return (value, skill) => {
    if (typeof value !== 'string') return checkText(value, skill)
    if (value.trim() === '') return { message: 'is empty, expected a text' }
    const length = countCharacters(value.trim())
    return length > max
      ? { message: `has ${length} characters, expected at most ${max}`, help: 'Shorten it' }
      : undefined
  }
}

const XML_TAG = /<\/?[A-Za-z][^<>\n]{0,200}>/

export function createPlainTextCheck(max: number): ValueCheck {
  return (value, skill) => {
    const tag = typeof value === 'string' ? XML_TAG.exec(value)?.[0] : undefined
    if (tag === undefined) return createTextCheck(max)(value, skill)
    return { message: `contains the XML tag ${quoteValue(tag)}, expected none`, help: 'Remove it' }
  }
}

/** Checks a name of lower-case ASCII letters, digits and hyphens. */
export const checkPlainName: ValueCheck = (value, skill) => {
  if (typeof value !== 'string') return checkText(value, skill)
  const problem = /^[a-z0-9-]+$/.test(value)
    ? value.length > 64
      ? `has ${value.length} characters, expected at most 64`
      : undefined
    : (describeAgentNameProblem(value) ?? 'has characters other than a-z, 0-9 and hyphens')
  return problem === undefined
    ? undefined
    : {
        message: `${quoteValue(value)} ${problem}`,
        help: 'Write lower-case words with single hyphens between them',
      }
}

export const checkTable: ValueCheck = (value) =>
  describeType(value) === 'a table'
    ? undefined
    : { message: `is ${describeType(value)}, expected a table` }

function describeScalar(value: Plain): string {
  return typeof value === 'object' ? describeType(value) : quoteValue(value)
}
