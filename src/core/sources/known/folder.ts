import type { SourceKind } from '../source-kind.ts'
import type { FilePlace, FolderPlace } from '../source-place.ts'

export const FILE_FORMS = 'file:///folder or file:///folder/file.tar.gz'

const forms = { file: FILE_FORMS }
const formatTrust = () => undefined

/** A folder of this machine. */
export const folder: SourceKind<FolderPlace> = {
  type: 'folder',
  forms,
  formatTrust,
  async fetch({ path }, options) {
    const { readLocalFolder } = await import('../local/read-local.ts')
    return await readLocalFolder(path, options)
  },
}

/** An archive of this machine. */
export const archive: SourceKind<FilePlace> = {
  type: 'archive',
  forms,
  formatTrust,
  async fetch({ path }) {
    const { readLocalArchive } = await import('../local/read-local.ts')
    return await readLocalArchive(path)
  },
  async fetchFolder({ path }) {
    const { readFolderArchive } = await import('../local/read-local.ts')
    return await readFolderArchive(path)
  },
}
