import { SkillsError } from '../../errors.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'

const MAX_DEPTH = 200

/** Throws if arguments cannot be passed to a run without loss. */
export function checkArguments(args: PlainObject = {}): void {
  let level: Plain[] = [args]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw argumentsError(`they are nested more than ${MAX_DEPTH} levels deep`)
    const below: Plain[] = []
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw argumentsError('they have a number that is too large')
      }
      if (typeof value !== 'object' || value === null) continue
      for (const each of Object.values(value)) below.push(each)
    }
    level = below
  }
}

function argumentsError(reason: string): SkillsError {
  return new SkillsError('params/invalid', `Cannot pass these arguments: ${reason}`, {
    hint: 'Pass such data as a blob, or as text',
    data: { param: 'args', reason },
  })
}
