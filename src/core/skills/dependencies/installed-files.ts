import { createHash } from 'node:crypto'
import { constants, createReadStream, lstatSync, readFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { StampedValues } from '../../../util/stamped-values.ts'
import type { PackagesLocation } from './packages-location.ts'

/** Increased when the meaning of a manifest changes. */
const FORMAT = 1

interface InstalledManifest {
  format: number
  /**
   * Folder of the packages: a new name for each installation, so that a mount of an older one is
   * never reused.
   */
  folder: string
  /** SHA-256 by path. */
  files: Readonly<Record<string, string>>
}

/** State of the packages at a location; if installed, a run imports from `packages`. */
type InstallState =
  | { state: 'installed'; packages: string }
  | { state: 'missing' | 'damaged'; packages?: undefined }

const PACKAGES_FOLDER = /^packages-[0-9a-f]{16}$/

/** Verified package folders, by location. */
export type CheckedLocations = StampedValues<string | undefined>

/** State of the packages at a location; they are verified again if a directory entry changed. */
export async function checkInstalled(location: PackagesLocation, checked: CheckedLocations): Promise<InstallState> {
  if (!lstatSync(location.dir, { throwIfNoEntry: false })) return { state: 'missing' }
  const packages = await checked.get(location.dir, async () => await readInstallation(location)).catch(() => {})
  return packages === undefined ? { state: 'damaged' } : { state: 'installed', packages }
}

/** Folder of the packages; undefined if they differ from the installed ones. */
async function readInstallation(location: PackagesLocation): Promise<string | undefined> {
  const manifest = JSON.parse(readFileSync(location.manifest, 'utf8')) as InstalledManifest
  if (manifest.format !== FORMAT || !PACKAGES_FOLDER.test(manifest.folder)) return undefined
  const packages = join(location.dir, manifest.folder)
  return hasSameFiles(await digestFiles(packages), manifest.files) ? packages : undefined
}

function hasSameFiles(found: Readonly<Record<string, string>>, files: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(files)
}

/** Manifest of the installed files. */
export async function createInstalledManifest(packages: string): Promise<string> {
  const [folder, files] = [basename(packages), await digestFiles(packages)]
  const manifest: InstalledManifest = { format: FORMAT, folder, files }
  return `${JSON.stringify(manifest)}\n`
}

/** Digests sorted by path; throws for an entry that is neither a file nor a folder. */
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
