import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** What has been compiled, found again by all that it was made of. */
interface CompiledCache {
  /** A folder to be mounted; undefined where there is none, or somebody has changed it. */
  find(key: string): string | undefined
  /** Where a compiler's files are to be put before they are kept; not there yet. */
  createStagingPath(): string
  /** Keeps one file of such a place and removes the rest; answers with the folder to be mounted. */
  store(key: string, place: string, product: string): string
}

/** Raised when the same key means something else. */
const FORMAT = 1
const MANIFEST = 'manifest.json'
const FILES = 'files'
/** The oldest go first. */
const MAX_BYTES = 512 * 1024 ** 2
const MAX_ENTRIES = 256

interface CompiledManifest {
  format: number
  key: string
  size: number
  product: string
  sha256: string
}

/**
 * Opens the cache below a folder. A key is the digest of all that a compiler was given, and a
 * compiler is given nothing else, so whoever asks with the same key would have got the same.
 */
export function openCompiledCache(folder: string): CompiledCache {
  const pathOf = (key: string) => join(folder, key)
  return {
    find: (key) => findEntry(pathOf(key), key),
    createStagingPath() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return join(folder, `.${randomUUID()}`)
    },
    store(key, place, product) {
      const entry = pathOf(key)
      const made = writeEntry(place, key, product)
      try {
        renameSync(made, entry)
      } catch {
        // Another process was faster, or one is there that was changed.
        const known = findEntry(entry, key)
        if (known !== undefined) {
          rmSync(made, { recursive: true, force: true })
          return known
        }
        rmSync(entry, { recursive: true, force: true })
        renameSync(made, entry)
      }
      removeSurplusEntries(folder, entry)
      return join(entry, FILES)
    },
  }
}

/** The key of something compiled. */
export function computeCompiledKey(facts: object): string {
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, facts]))
    .digest('hex')
}

/** Only regular files of this user's own, with the content that they had. */
function findEntry(entry: string, key: string): string | undefined {
  try {
    const files = join(entry, FILES)
    if (!isPrivateFile(entry) || !isPrivateFile(files) || !isPrivateFile(join(entry, MANIFEST)))
      return undefined
    const manifest = JSON.parse(readFileSync(join(entry, MANIFEST), 'utf8')) as CompiledManifest
    if (manifest.format !== FORMAT || manifest.key !== key) return undefined
    const path = join(files, manifest.product)
    if (!isPrivateFile(path) || hashFile(path) !== manifest.sha256) return undefined
    const now = new Date()
    utimesSync(entry, now, now)
    return files
  } catch {
    return undefined
  }
}

function isPrivateFile(path: string): boolean {
  const stat = lstatSync(path)
  const isPlain = stat.isFile() || stat.isDirectory()
  return isPlain && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
}

/** Made beside its place, so that it appears there whole. */
function writeEntry(place: string, key: string, product: string): string {
  const entry = `${place}.entry`
  const files = join(entry, FILES)
  mkdirSync(files, { recursive: true, mode: 0o755 })
  // Whatever the mask of this process is: another user may run it.
  for (const folder of [entry, files]) chmodSync(folder, 0o755)
  const path = join(files, product)
  renameSync(join(place, product), path)
  rmSync(place, { recursive: true, force: true })
  chmodSync(path, 0o755)
  const { size } = lstatSync(path)
  const manifest: CompiledManifest = { format: FORMAT, key, size, product, sha256: hashFile(path) }
  writeFileSync(join(entry, MANIFEST), JSON.stringify(manifest), { mode: 0o600 })
  return entry
}

function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

const ABANDONED_MS = 3_600_000

/** Removes what was used longest ago, and what was never finished. */
function removeSurplusEntries(folder: string, except: string): void {
  const entries = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat ? [{ path, name, usedAt: stat.mtimeMs }] : []
  })
  const abandoned = entries.filter(
    ({ name, usedAt }) => name.startsWith('.') && Date.now() - usedAt > ABANDONED_MS,
  )
  const whole = entries
    .filter(({ name, path }) => !name.startsWith('.') && path !== except)
    .sort((a, b) => b.usedAt - a.usedAt)
  let bytes = readEntrySize(except)
  const surplus = whole.filter(({ path }, at) => {
    bytes += readEntrySize(path)
    return bytes > MAX_BYTES || at + 1 >= MAX_ENTRIES
  })
  for (const { path } of [...abandoned, ...surplus]) rmSync(path, { recursive: true, force: true })
}

function readEntrySize(entry: string): number {
  try {
    return (JSON.parse(readFileSync(join(entry, MANIFEST), 'utf8')) as CompiledManifest).size
  } catch {
    return 0
  }
}
