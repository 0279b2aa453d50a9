import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'

/** Creates a folder that every user inside can read. */
export function createReadableFolder(dir: string): void {
  mkdirSync(dir)
  chmodSync(dir, 0o755)
}

/** Sets the mode explicitly, because the umask may be stricter. */
export function writeReadableFile(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: 'wx' })
  chmodSync(path, 0o444)
}

/**
 * Writes a file into a copy, in the place of one with its path. A link in the place of its folder
 * could lead out of the copy.
 */
export function addReadableFile(copy: string, path: string, text: string): void {
  const folder = dirname(join(copy, path))
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found) createReadableFolder(folder)
  else if (!found.isDirectory()) {
    throw new SkillsError(
      'skill/invalid',
      `Cannot run the skill: "${dirname(path)}" is not a folder`,
      {
        hint: `Rename it: the sandbox needs its name for "${path}"`,
      },
    )
  }
  rmSync(join(copy, path), { force: true })
  writeReadableFile(join(copy, path), text)
}
