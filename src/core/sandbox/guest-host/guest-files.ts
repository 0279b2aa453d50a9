import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { once } from '../../../util/once.ts'

/** Source folder of the guest's files. */
const GUEST_FOLDER = fileURLToPath(new URL('../../../guest/', import.meta.url))

/** Name of the folder in which JavaScript resolves bare imports, at any level above the file. */
export const NODE_MODULES = 'node_modules'

/** Target folders for the files of other languages; packages are resolved by folder name. */
const LANGUAGE_FOLDERS = { 'javascript/runtime': `${NODE_MODULES}/runtime`, shell: 'shell' }

/**
 * Stored under another name: tools that check our own package would treat a nested package.json as
 * part of it.
 */
const RENAMED_FILES: Record<string, string> = { 'inside.package.json': 'package.json' }

interface GuestFile {
  /** Path below the guest's folder inside. */
  name: string
  text: Buffer
}

/** Reads the guest's files once. */
export const readGuestFiles: () => readonly GuestFile[] = once(() => [
  ...readFilesIn('', '').filter(({ name }) => name.endsWith('.py')),
  ...Object.entries(LANGUAGE_FOLDERS).flatMap(([from, to]) => readFilesIn(from, `${to}/`)),
])

function readFilesIn(folder: string, prefix: string): GuestFile[] {
  return readdirSync(join(GUEST_FOLDER, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({
      name: prefix + (RENAMED_FILES[name] ?? name),
      text: readFileSync(join(GUEST_FOLDER, folder, name)),
    }))
}

/** Source folder and digest of the guest, for compiling it with an interpreter. */
export const describeGuestModules: () => { folder: string; digest: string } = once(() => {
  const hash = createHash('sha256')
  for (const { name, text } of readGuestFiles())
    hash.update(`${name}\0${text.length}\0`).update(text)
  return { folder: GUEST_FOLDER, digest: hash.digest('hex') }
})
