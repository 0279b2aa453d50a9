import { findNearest } from '../../../util/find-nearest.ts'
import type { Manifest, SkillInput } from './manifest.ts'

/** An argument that a skill does not declare, with the sentences that report it. */
export interface UndeclaredInput {
  message: string
  hint: string
  /** The declared input that the name resembles. */
  suggestion: string | undefined
}

/** True if a call may pass more than the declared inputs: without any, nothing is known about the arguments. */
export function acceptsUndeclared({ inputs, runtime }: Manifest): boolean {
  return runtime?.additionalInputs ?? Object.keys(inputs).length === 0
}

/** Maximum number of names that are compared with the declared ones. */
const MAX_COMPARED = 100

/**
 * Finds the first undeclared argument, preferring one that resembles a declared input without a
 * value.
 */
export function findUndeclaredInput(
  inputs: Readonly<Record<string, SkillInput>>,
  passedNames: readonly string[],
): UndeclaredInput | undefined {
  const undeclared: string[] = []
  for (const name of passedNames) {
    if (undeclared.length === MAX_COMPARED) break
    if (!Object.hasOwn(inputs, name)) undeclared.push(name)
  }
  if (undeclared.length === 0) return undefined
  const declared = Object.keys(inputs)
  const passed = new Set(passedNames)
  const unset = declared.filter((name) => !passed.has(name))
  const problems = undeclared.map((name) => describeUndeclared(name, unset, declared))
  return problems.find(({ suggestion }) => suggestion !== undefined) ?? problems[0]
}

function describeUndeclared(
  name: string,
  unset: readonly string[],
  declared: readonly string[],
): UndeclaredInput {
  const suggestion = findNearest(name, unset)
  const list = declared.map((each) => `"${each}"`).join(', ')
  const hint = suggestion
    ? `Did you mean "${suggestion}"?`
    : declared.length === 0
      ? 'Remove it: the skill declares no inputs'
      : `The skill takes ${list}`
  return { message: `Unknown argument "${name}"`, hint, suggestion }
}
