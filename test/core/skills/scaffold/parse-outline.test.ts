import { describe, expect, it } from 'vitest'
import {
  checkHost,
  checkSecret,
  parseInput,
  parseOutline,
  parseResult,
} from '../../../../src/core/skills/scaffold/outline/parse-outline.ts'

describe('an input of a new skill', () => {
  it.each([
    ['city', { name: 'city', type: 'string', description: 'City', required: true }],
    ['days?:integer', { name: 'days', type: 'integer', description: 'Days', required: false }],
    [
      ' city : string = Name: of = it ',
      { name: 'city', type: 'string', description: 'Name: of = it', required: true },
    ],
    ['any_value:any', { name: 'any_value', type: 'any', description: 'Any value', required: true }],
  ])('is parsed from %j', (text, field) => {
    expect(parseInput(text)).toEqual(field)
  })

  it.each([
    ['City', 'its name is not lower-case'],
    ['', 'its name is not lower-case'],
    ['a b', 'its name is not lower-case'],
    ['city:text', 'its type is none of string, integer'],
    ['city:', 'its type is none of'],
    ['city=two\nlines', 'its description is not one line'],
  ])('is refused as %j', (text, message) => {
    expect(() => parseInput(text)).toThrow(message)
  })

  it('has a name of its own', () => {
    expect(() => parseInput('city', [parseInput('city:integer')])).toThrow('already used')
  })
})

describe('a result of a new skill', () => {
  it.each([
    ['rate?:number', 'cannot be optional'],
    ['summary', 'is always written'],
    ['rate:any', 'its type is none of'],
  ])('is refused as %j', (text, message) => {
    expect(() => parseResult(text)).toThrow(message)
  })
})

describe('permissions of a new skill', () => {
  it('are hosts with a scheme', () => {
    expect(checkHost('https://api.example.com/')).toBe('https://api.example.com')
    expect(() => checkHost('api.example.com')).toThrow('it has no scheme')
  })

  it('are names of environment variables that the system does not use', () => {
    expect(checkSecret('CRM_KEY')).toBe('CRM_KEY')
    expect(() => checkSecret('crm')).toThrow('upper-case letters')
    expect(() => checkSecret('LD_PRELOAD')).toThrow('reserved for the system')
  })
})

it('an outline without any value is undefined, so that the sample of the template applies', () => {
  const nothing = { inputs: [], results: [], network: [], secrets: [] }
  expect(parseOutline(nothing)).toBeUndefined()
  expect(parseOutline({ ...nothing, secrets: ['CRM_KEY', 'CRM_KEY'] })).toMatchObject({
    secrets: ['CRM_KEY'],
  })
})
