import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { once } from '../../../util/once.ts'

/** The Python that runs inside. */
const GUEST_FOLDER = fileURLToPath(new URL('../../../guest/', import.meta.url))

/** Where JavaScript looks for what a file imports by a bare name, in any folder above it. */
export const NODE_MODULES = 'node_modules'

/** What other languages than Python have: packages are found by the name of this folder. */
const LANGUAGE_FOLDERS = { 'javascript/runtime': `${NODE_MODULES}/runtime`, shell: 'shell' }

/** Tools that check our own package would take one of this name for a part of it. */
const RENAMED_FILES: Record<string, string> = { 'inside.package.json': 'package.json' }

interface GuestFile {
  /** Its path below the guest's folder inside. */
  name: string
  text: Buffer
}

/** Its files, read once. */
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

/** As an interpreter is asked to compile them. */
export const guestModules: () => { folder: string; digest: string } = once(() => {
  const hash = createHash('sha256')
  for (const { name, text } of readGuestFiles())
    hash.update(`${name}\0${text.length}\0`).update(text)
  return { folder: GUEST_FOLDER, digest: hash.digest('hex') }
})
