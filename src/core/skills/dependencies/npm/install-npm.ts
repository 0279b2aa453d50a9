import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import type { NodeLock } from '../declared-lock.ts'
import { openRegistryAccess } from '../../../registries/credentials/open-access.ts'
import { downloadPackage, locateArchive } from './download-package.ts'
import { selectPackages } from './select-packages.ts'

interface NpmInstallation {
  lock: NodeLock
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/** Bounds of an installation. */
const MAX_FILES = 100_000
const MAX_BYTES = 1024 ** 3
const PARALLEL = 8

/** Installs the locked packages into an empty folder. No script of a package is executed. */
export async function fillWithNpmPackages(
  packages: string,
  { lock, env, signal }: NpmInstallation,
): Promise<void> {
  const access = openRegistryAccess(env)
  const wanted = selectPackages(lock)
  // All addresses are checked before the first request.
  for (const item of wanted) locateArchive(item, access.findNpmRegistry(item.name))
  await mkdir(join(packages, 'node_modules'))
  const total = { files: 0, bytes: 0 }
  const pending = [...wanted]
  const worker = async () => {
    for (let item = pending.shift(); item; item = pending.shift()) {
      if (signal?.aborted) throw new SkillsError('run/cancelled', 'The installation was cancelled')
      const files = await downloadPackage(item, access, signal)
      total.files += files.length
      for (const { bytes } of files) total.bytes += bytes.length
      if (total.files > MAX_FILES || total.bytes > MAX_BYTES) throw packagesTooLargeError(lock)
      for (const { path, bytes, isExecutable } of files) {
        const target = join(packages, item.path, path)
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
      }
    }
  }
  const stopAll = (error: unknown) => {
    pending.length = 0
    throw error
  }
  const ended = await Promise.allSettled(
    Array.from({ length: PARALLEL }, async () => await worker().catch(stopAll)),
  )
  // Only now: no worker writes into the folder any more.
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}

function packagesTooLargeError({ skill }: NodeLock): SkillsError {
  return new SkillsError(
    'dependencies/not-installed',
    `The dependencies of "${skill}" are refused: together they have more than ${MAX_FILES} files or 1 GiB`,
    { hint: 'Bundle what the code uses into the skill' },
  )
}
