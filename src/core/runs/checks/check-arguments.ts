import { refusedParam, SkillsError } from '../../../errors.ts'
import { listNames } from '../../../util/slices/list-names.ts'
import { runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'

const MAX_DEPTH = 200
const VALUES_PER_YIELD = 1024

/** Each blob is pinned before a run starts, and listed in its record. */
const MAX_INPUT_BLOBS = 10_000

/** Throws `params/invalid` for too many input blobs. */
export function checkInputBlobs(ids: readonly string[]): void {
  if (ids.length <= MAX_INPUT_BLOBS) return
  throw refusedParam(
    'input_blobs',
    `Expected at most ${MAX_INPUT_BLOBS} input blobs, got ${ids.length}`,
  )
}

/** Throws if arguments cannot be passed to a run without loss. */
export async function checkArguments(args: PlainObject = {}): Promise<void> {
  await runInSlices(checkLevels(args))
}

function* checkLevels(args: PlainObject): Steps<void> {
  let level: Plain[] = [args]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw argumentsError(`they are nested more than ${MAX_DEPTH} levels deep`)
    const below: Plain[] = []
    for (const [index, value] of level.entries()) {
      if (index % VALUES_PER_YIELD === 0) yield
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw argumentsError('they have a number that is too large')
      }
      if (typeof value === 'object' && value !== null) yield* addMembers(value, below)
    }
    level = below
  }
}

/** V8 takes several times as long for `Object.values` of a large object. */
function* addMembers(value: PlainObject | readonly Plain[], to: Plain[]): Steps<void> {
  if (Array.isArray(value)) {
    for (const [index, each] of (value as readonly Plain[]).entries()) {
      if (index % VALUES_PER_YIELD === VALUES_PER_YIELD - 1) yield
      to.push(each)
    }
    return
  }
  const names = yield* listNames(value)
  for (const [index, name] of names.entries()) {
    if (index % VALUES_PER_YIELD === VALUES_PER_YIELD - 1) yield
    to.push((value as PlainObject)[name] as Plain)
  }
}

function argumentsError(reason: string): SkillsError {
  return new SkillsError('params/invalid', `Cannot pass these arguments: ${reason}`, {
    hint: 'Pass such data as a blob, or as text',
    data: { param: 'args', reason },
  })
}
