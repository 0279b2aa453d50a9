import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'

/** Files to which the user agreed on this machine. A lock comes from others as well. */
export interface ConsentStore {
  has(tree: string): boolean
  add(tree: string): Promise<void>
}

/** One file per digest, so that no process overwrites what another one adds. */
export function openConsentStore(folder: string): ConsentStore {
  const locate = (tree: string) => join(folder, tree.replace('sha256:', ''))
  return {
    has: (tree) =>
      isOwnFolder(folder) && lstatSync(locate(tree), { throwIfNoEntry: false })?.isFile() === true,
    async add(tree) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (!isOwnFolder(folder)) throw foreignFolderError(folder)
      await writeFileWhole(locate(tree), '')
    },
  }
}

/** False if another user can add a consent. */
function isOwnFolder(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat) return false
  const isOwn = process.getuid === undefined || stat.uid === process.getuid()
  return stat.isDirectory() && isOwn && (stat.mode & 0o022) === 0
}

function foreignFolderError(folder: string): SkillsError {
  return new SkillsError(
    'policy/denied',
    `The consent is not recorded: others can write to "${folder}"`,
    {
      hint: `Type "chmod 700 '${folder}'", if the folder is yours`,
    },
  )
}
