import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Field } from './field.ts'
import { spellValue } from './field.ts'
import type { Place } from './problems.ts'

/** A path below a folder, with forward slashes, that does not leave it. */
export function isInnerPath(path: string): boolean {
  return (
    path !== '' &&
    !path.startsWith('/') &&
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '..' && part !== '.' && part !== '')
  )
}

/**
 * True if a path is below a folder after all links are resolved. Of a path that does not exist yet,
 * the nearest existing folder counts.
 */
export function isBelowRealFolder(folder: string, path: string): boolean {
  // Nothing can be below a folder that does not exist yet, and so no link.
  if (!existsSync(folder)) return true
  try {
    const root = realpathSync(folder)
    let existing = path
    while (!lstatSync(existing, { throwIfNoEntry: false })) existing = dirname(existing)
    const real = realpathSync(existing)
    return real === root || real.startsWith(`${root}/`)
  } catch {
    return false
  }
}

/** An existing file of the skill, as its absolute path. Links out of the skill are refused. */
export const skillFileField: Field<string> = {
  description: 'Path of a file of the skill, such as tests/data/table.csv',
  schema: { type: 'string', description: 'Path of a file of the skill' },
  read(value, place) {
    if (typeof value !== 'string' || !isInnerPath(value)) {
      return place.refuse(`Expected a path in the skill, got ${spellValue(value)}`)
    }
    return findSkillFile(value, place)
  },
}

function findSkillFile(path: string, place: Place): string | undefined {
  const skill = dirname(dirname(place.file))
  const file = join(skill, path)
  // The first check: its message is the same for paths outside that exist and that do not.
  if (!isBelowRealFolder(skill, file)) {
    return place.refuse(`"${path}" leads out of the skill`)
  }
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat) return place.refuse(`The skill has no file "${path}"`)
  return stat.isFile() ? file : place.refuse(`"${path}" is not a regular file`)
}
