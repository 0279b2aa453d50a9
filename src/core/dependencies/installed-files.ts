import { createHash } from 'node:crypto'
import { constants, createReadStream, lstatSync, readFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSettled, stampFolder } from '../../util/stamp-folder.ts'
import type { Place } from './place.ts'

/** Raised when the meaning of a manifest changes. */
const FORMAT = 1
const MOST_KEPT = 256

interface InstalledManifest {
  format: number
  /** SHA-256 by path. */
  files: Readonly<Record<string, string>>
}

const known = new Map<string, string>()

/** Whether packages are there and are what was installed; they are read again where an entry changed. */
export async function stateOf(place: Place): Promise<'installed' | 'missing' | 'damaged'> {
  if (!lstatSync(place.dir, { throwIfNoEntry: false })) return 'missing'
  try {
    const before = stampFolder(place.dir)
    if (known.get(place.dir) === before.text) return 'installed'
    known.delete(place.dir)
    const { format, files } = JSON.parse(readFileSync(place.manifest, 'utf8')) as InstalledManifest
    const found = await digestFiles(place.packages)
    if (format !== FORMAT || !isSame(found, files)) return 'damaged'
    if (isSettled(before)) remember(place.dir, before.text)
    return 'installed'
  } catch {
    return 'damaged'
  }
}

function remember(dir: string, stamp: string): void {
  known.set(dir, stamp)
  for (const oldest of known.keys()) if (known.size > MOST_KEPT) known.delete(oldest)
}

function isSame(found: Readonly<Record<string, string>>, files: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(files)
}

/** What is to be found there from now on. */
export async function describeInstalled(packages: string): Promise<string> {
  const manifest: InstalledManifest = { format: FORMAT, files: await digestFiles(packages) }
  return `${JSON.stringify(manifest)}\n`
}

/** In the order of their paths; throws for what is neither a file nor a folder. */
async function digestFiles(top: string): Promise<Record<string, string>> {
  const paths: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(top, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile()) paths.push(path)
      else throw new Error(`"${path}" is neither a file nor a folder`)
    }
  }
  const digests = Object.create(null) as Record<string, string>
  for (const path of paths.sort()) digests[`./${path}`] = await digestFile(join(top, path))
  return digests
}

async function digestFile(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { fd: handle })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
