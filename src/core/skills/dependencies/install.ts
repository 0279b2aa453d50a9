import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'
import {
  checkInstalled,
  createInstalledManifest,
  type CheckedLocations,
} from './installed-files.ts'
import type { PackagesLocation } from './packages-location.ts'

/** Input of an installation in any language. */
interface Installation {
  location: PackagesLocation
  checked: CheckedLocations
  /** Writes the packages into an empty folder; `draft` is for temporary files. */
  fill: (packages: string, draft: string) => Promise<void>
}

/**
 * Installs the pinned packages of a lock file, unless they are installed; one rename makes them
 * visible, and no code of a package is ever executed.
 */
export async function installDependencies({
  location,
  checked,
  fill,
}: Installation): Promise<'installed' | 'unchanged'> {
  if ((await checkInstalled(location, checked)).state === 'installed') return 'unchanged'
  await mkdir(location.root, { recursive: true, mode: 0o700 })
  // A folder that a killed installation still writes to is swept by the next one.
  await sweepLeftovers(location.root).catch(() => {})
  const draft = join(location.root, createOwnName())
  const packages = join(draft, 'whole', `packages-${randomBytes(8).toString('hex')}`)
  try {
    await mkdir(packages, { recursive: true, mode: 0o700 })
    await fill(packages, draft)
    await makeWorldReadable(packages)
    await writeFile(join(draft, 'whole', 'manifest.json'), await createInstalledManifest(packages))
    return await publishDraft(draft, { location, checked })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** A run has another user id than the installing process. */
async function makeWorldReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeWorldReadable(path)
    else if (entry.isFile())
      await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

/** Keeps valid packages that another process installed meanwhile; replaces damaged ones. */
async function publishDraft(
  draft: string,
  { location, checked }: Pick<Installation, 'location' | 'checked'>,
): Promise<'installed' | 'unchanged'> {
  for (let tries = 0; ; tries++) {
    try {
      await rename(join(draft, 'whole'), location.dir)
      return 'installed'
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'ENOTEMPTY'].includes(code) || tries === MAX_TRIES) throw error
    }
    if ((await checkInstalled(location, checked)).state === 'installed') return 'unchanged'
    await rename(location.dir, join(draft, `damaged${tries}`)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      },
    )
  }
}

const MAX_TRIES = 10
