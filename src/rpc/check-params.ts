import { z } from 'zod'
import { checkEntries } from '../core/methods/check-entries.ts'
import type { Method } from '../core/methods/method.ts'
import { invalidParamError, SkillsError } from '../errors.ts'
import { findNearest } from '../util/find-nearest.ts'
import { nameJsonType } from './envelope.ts'
import { respellTimes } from './time-spellings.ts'

type Issue = z.core.$ZodIssue
type ParamShape = Readonly<Record<string, z.core.$ZodType>>

/** Validates parameters against a method's schema. The error names the first invalid parameter. */
export function checkParams(method: Method, params: unknown): unknown {
  const { shape } = method.params as unknown as z.ZodObject
  const input = respellTimes(requireNamedParams(params), shape)
  const values = dropNulls(input, { shape, prefix: '', spellings: method.spellings })
  checkEntries(method.params, values)
  const parsed = method.params.safeParse(values)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw issue ? issueToError(issue, values) : invalidParamError('params', 'not understood')
}

/** Missing parameters count as empty. An array is rejected, because parameters are named. */
function requireNamedParams(params: unknown): Record<string, unknown> {
  if (params === undefined || params === null) return {}
  if (typeof params !== 'object' || Array.isArray(params)) {
    throw invalidParamError(
      'params',
      `expected an object of named parameters, got ${nameJsonType(params)}`,
    )
  }
  return params as Record<string, unknown>
}

/** The top-level parameters of a call, or those of a nested group. */
interface ParamGroup {
  shape: ParamShape
  prefix: string
  spellings: Method['spellings']
}

/** Drops null values, in the parameters and in nested groups. */
function dropNulls(input: Record<string, unknown>, level: ParamGroup): Record<string, unknown> {
  const { shape, prefix, spellings } = level
  const values: Record<string, unknown> = {}
  // Listing 50,000 names with their values takes several times as long.
  for (const name of Object.keys(input)) {
    const value = input[name]
    if (prefix === '' && name === '_meta') continue
    const paramName = Object.hasOwn(shape, name) ? name : resolveSpelling(name, level)
    if (paramName === undefined) throw unknownParamError(name, shape, prefix)
    if (value === null || (paramName !== name && Object.hasOwn(input, paramName))) continue
    const group = findGroupShape(shape[paramName])
    const isGroup = group && typeof value === 'object' && !Array.isArray(value)
    values[paramName] = isGroup
      ? dropNulls(value as Record<string, unknown>, {
          shape: group,
          prefix: `${prefix}${paramName}.`,
          spellings,
        })
      : value
  }
  return values
}

/** Resolves an alternative spelling of a parameter, for methods that accept them. */
function resolveSpelling(name: string, { shape, spellings }: ParamGroup): string | undefined {
  if (!spellings) return undefined
  const plain = (each: string) => each.replaceAll('_', '').toLowerCase()
  const [, target] = Object.entries(spellings).find(([each]) => plain(each) === plain(name)) ?? []
  if (target !== undefined && Object.hasOwn(shape, target)) return target
  return Object.keys(shape).find((each) => plain(each) === plain(name))
}

/** Returns the shape of a parameter that is an object with known members. */
function findGroupShape(schema: z.core.$ZodType | undefined): ParamShape | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return findGroupShape(schema.unwrap())
  }
  return schema instanceof z.ZodObject ? schema.shape : undefined
}

function unknownParamError(name: string, shape: ParamShape, prefix: string): SkillsError {
  const quotedName = `${prefix}${name.length > 100 ? `${name.slice(0, 100)}…` : name}`
  const guess = name.length > 100 ? undefined : findNearest(name, Object.keys(shape))
  const hint = guess === undefined ? undefined : `Did you mean '${prefix}${guess}'?`
  const text = `Invalid params: unknown parameter '${quotedName}'${hint ? `. ${hint}` : ''}`
  return new SkillsError('params/invalid', text, {
    data: { param: quotedName, reason: 'unknown parameter', ...(hint && { hint }) },
  })
}

function issueToError(issue: Issue, values: unknown): SkillsError {
  const param = issue.path.map(String).join('.') || 'params'
  const value = readPath(values, issue.path)
  if (value === undefined) {
    return new SkillsError('params/invalid', `Invalid params: missing '${param}'`, {
      data: { param, reason: 'required' },
    })
  }
  return invalidParamError(param, describeIssue(issue, value))
}

function describeIssue(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_type')
    return `expected ${nameExpectedType(issue.expected)}, got ${quoteReceived(value)}`
  if (issue.code === 'invalid_value') {
    return `expected ${issue.values.map((each) => JSON.stringify(each)).join(' or ')}, got ${quoteReceived(value)}`
  }
  if (issue.code === 'too_small')
    return `expected at least ${issue.minimum}, got ${quoteReceived(value)}`
  if (issue.code === 'too_big')
    return `expected at most ${issue.maximum}, got ${quoteReceived(value)}`
  return issue.message
}

function nameExpectedType(expected: string): string {
  return { int: 'an integer', record: 'an object' }[expected] ?? expected
}

function quoteReceived(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return nameJsonType(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}

function readPath(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    values,
  )
}
