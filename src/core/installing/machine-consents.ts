import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'
import { isOwnFolder, prepareOwnFolder } from './own-folder.ts'

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
      prepareOwnFolder(folder, 'The consent')
      await writeFileWhole(locate(tree), '')
    },
  }
}
