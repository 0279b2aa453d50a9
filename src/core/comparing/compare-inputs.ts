import type { Plain, PlainObject, SkillInput } from '../skills/manifest/manifest.ts'
import { hasType } from '../skills/manifest/has-type.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { compareSchemas, type SchemaChange } from './schemas/compare-schemas.ts'
import { locateInManifest, type ComparedSide } from './compared-side.ts'
import type { DifferenceCode, RawDifference } from './difference.ts'

/** The arguments that callers pass: a call that worked before works after, or it is breaking. */
export function compareInputs(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before.skill.manifest.inputs, after.skill.manifest.inputs]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const found = names.flatMap((name) => {
    const changes = compareInput(old[name], now[name])
    const side = now[name] ? after : before
    return changes.map((change) => ({
      subject: name,
      place: locateInManifest(side, ['inputs', name]),
      ...change,
    }))
  })
  return [...found, ...compareOpenness(before, after)]
}

type InputChange = Pick<RawDifference, 'code' | 'before' | 'after'>

function compareInput(old: SkillInput | undefined, now: SkillInput | undefined): InputChange[] {
  if (old && now) return compareBoth(old, now)
  if (old) return [{ code: 'inputs/removed', before: describeInput(old) }]
  if (!now) return []
  const code = needsValue(now) ? 'inputs/added-required' : 'inputs/added-optional'
  return [{ code, after: describeInput(now) }]
}

function compareBoth(old: SkillInput, now: SkillInput): InputChange[] {
  const changes: InputChange[] = []
  const required = compareNeeds(old, now)
  if (required) changes.push({ code: required })
  // Only the types compare null: an optional argument of type "any" is not null unless it is listed.
  const takesNull = !old.required && old.type !== 'any' && now.type === 'any'
  for (const change of compareSchemas(toInputSchema(old, takesNull), toInputSchema(now, false))) {
    changes.push(toInputChange(change, old, now))
  }
  if (printValue(old.default) !== printValue(now.default)) {
    changes.push({
      code: 'inputs/default-changed',
      before: printValue(old.default),
      after: printValue(now.default),
    })
  }
  if (old.description !== now.description) {
    changes.push({ code: 'inputs/described', before: old.description, after: now.description })
  }
  return changes
}

/** A missing argument gets its default, but null is refused for a required input. */
function compareNeeds(old: SkillInput, now: SkillInput): DifferenceCode | undefined {
  if (!needsValue(old) && needsValue(now)) return 'inputs/now-required'
  if (old.required === now.required && needsValue(old) === needsValue(now)) return undefined
  const refusesNull = !old.required && now.required && now.type !== 'any'
  return refusesNull ? 'inputs/now-required' : 'inputs/now-optional'
}

/** True if a call without the argument is refused; an invalid default is refused as well. */
function needsValue({ required, default: value, type, enum: values }: SkillInput): boolean {
  if (value === undefined) return required
  if (value === null && !required && type !== 'any') return false
  const isListed =
    values === undefined || values.some((each) => printValue(each) === printValue(value))
  return !hasType(value, type) || !isListed
}

function toInputChange(
  { effect, before, after }: SchemaChange,
  old: SkillInput,
  now: SkillInput,
): InputChange {
  const code = effect === 'widened' ? 'inputs/widened' : 'inputs/narrowed'
  const isType = old.type !== now.type
  return isType
    ? { code, before: describeInput(old), after: describeInput(now) }
    : { code, before, after }
}

/** The values that a run accepts for an argument. */
function toInputSchema({ type, enum: values }: SkillInput, takesNull: boolean): PlainObject {
  const list = values === undefined ? {} : { enum: takesNull ? [...values, null] : [...values] }
  if (type === 'any') return list
  const name = type === 'blob' ? 'string' : type
  const format = type === 'blob' ? { format: 'blob' } : {}
  return { type: takesNull ? [name, 'null'] : name, ...format, ...list }
}

function describeInput({ type, required, enum: values }: SkillInput): string {
  const list = values === undefined ? '' : ` of ${toSortedJson([...values])}`
  return `${required ? 'required ' : ''}${type}${list}`
}

function printValue(value: Plain | undefined): string | undefined {
  return value === undefined ? undefined : toSortedJson(value)
}

/** Whether a call may have arguments that are not declared. */
function compareOpenness(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before.skill.manifest.runtime, after.skill.manifest.runtime]
  if (!old || !now) return []
  const [wasOpen, isOpen] = [old.additionalInputs !== false, now.additionalInputs !== false]
  if (wasOpen === isOpen) return []
  const code = isOpen ? 'inputs/undeclared-accepted' : 'inputs/undeclared-refused'
  const place = locateInManifest(after, ['runtime', 'additional_inputs'])
  return [
    { code, subject: 'additional_inputs', before: String(wasOpen), after: String(isOpen), place },
  ]
}

/**
 * The JSON Schema of the result, if the manifest has one. Callers read it, so that a wider result is
 * the breaking one.
 */
export function compareResults(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before, after].map(({ skill }) => skill.manifest.toml?.['result'])
  const place = locateInManifest(now === undefined ? before : after, ['result'])
  if (old === undefined && now === undefined) return []
  if (old === undefined) return [{ code: 'result/added', subject: 'result', place }]
  if (now === undefined) return [{ code: 'result/removed', subject: 'result', place }]
  return compareSchemas(old, now).map(({ path, effect, keyword, before: was, after: is }) => {
    const code =
      effect === 'described'
        ? 'result/described'
        : effect === 'narrowed'
          ? 'result/narrowed'
          : 'result/widened'
    return {
      code,
      subject: `${path === '' ? 'result' : path} ${keyword}`,
      before: was,
      after: is,
      place,
    }
  })
}
