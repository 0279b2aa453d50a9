import { lstatSync, mkdirSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'

/** False if another user can add to a folder of the user. */
export function isOwnFolder(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat) return false
  const isOwn = process.getuid === undefined || stat.uid === process.getuid()
  return stat.isDirectory() && isOwn && (stat.mode & 0o022) === 0
}

/** Creates a folder of the user, and refuses one that others can write to. */
export function prepareOwnFolder(folder: string, what: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isOwnFolder(folder)) return
  const message = `${what} is not recorded: others can write to "${folder}"`
  throw new SkillsError('policy/denied', message, {
    hint: `Type "chmod 700 '${folder}'", if the folder is yours`,
  })
}
