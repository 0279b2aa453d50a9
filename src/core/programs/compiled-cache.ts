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

/** Cache of compiled programs, addressed by a digest of their inputs. */
interface CompiledCache {
  /** Returns the folder to mount. Undefined if there is no entry or its files were changed. */
  find(key: string): string | undefined
  /** Returns a path for the files of a compiler; the path does not exist yet. */
  createStagingPath(): string
  /** Stores one file of such a folder, removes the others and returns the folder to mount. */
  store(key: string, staging: string, product: string): string
}

/** Increase when the meaning of a key changes. */
const FORMAT = 1
const MANIFEST = 'manifest.json'
const FILES = 'files'
/** The entries that were used longest ago are removed first. */
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
 * Opens the cache in a folder. A key is the digest of all inputs of a compiler, so equal keys mean
 * equal results.
 */
export function openCompiledCache(folder: string): CompiledCache {
  const entryPath = (key: string) => join(folder, key)
  return {
    find: (key) => findEntry(entryPath(key), key),
    createStagingPath() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return join(folder, `.${randomUUID()}`)
    },
    store(key, staging, product) {
      const entry = entryPath(key)
      const staged = writeEntry(staging, key, product)
      try {
        renameSync(staged, entry)
      } catch {
        // Another process stored the entry first, or the existing entry was changed.
        const existing = findEntry(entry, key)
        if (existing !== undefined) {
          rmSync(staged, { recursive: true, force: true })
          return existing
        }
        rmSync(entry, { recursive: true, force: true })
        renameSync(staged, entry)
      }
      removeSurplusEntries(folder, entry)
      return join(entry, FILES)
    },
  }
}

/** Computes the cache key of a compilation. */
export function computeCompiledKey(facts: object): string {
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, facts]))
    .digest('hex')
}

/** Accepts only regular files of this user whose content is unchanged. */
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

/** Writes the entry next to its final path, so that a rename publishes it atomically. */
function writeEntry(staging: string, key: string, product: string): string {
  const entry = `${staging}.entry`
  const files = join(entry, FILES)
  mkdirSync(files, { recursive: true, mode: 0o755 })
  // chmod ignores the umask: another user may have to run the file.
  for (const folder of [entry, files]) chmodSync(folder, 0o755)
  const path = join(files, product)
  renameSync(join(staging, product), path)
  rmSync(staging, { recursive: true, force: true })
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

/** Removes the entries that were used longest ago, and unfinished ones. */
function removeSurplusEntries(folder: string, except: string): void {
  const entries = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat ? [{ path, name, usedAt: stat.mtimeMs }] : []
  })
  const abandoned = entries.filter(
    ({ name, usedAt }) => name.startsWith('.') && Date.now() - usedAt > ABANDONED_MS,
  )
  const complete = entries
    .filter(({ name, path }) => !name.startsWith('.') && path !== except)
    .sort((a, b) => b.usedAt - a.usedAt)
  let bytes = readEntrySize(except)
  const surplus = complete.filter(({ path }, at) => {
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
