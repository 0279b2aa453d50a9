import { join } from 'node:path'
import type { Services } from '../../services.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import type { DeclaredLock } from './declared-lock.ts'

/** Where the packages of one lock file lie for one interpreter, on this machine and in a run. */
export interface PackagesLocation {
  /** Holds those of all lock files. */
  root: string
  dir: string
  /** What was installed, by digest. */
  manifest: string
  inside: string
}

/** The same lock file and interpreter are the same folder, whichever skill asks. */
export function locatePackages(
  { cacheDir, config }: Pick<Services, 'cacheDir' | 'config'>,
  { digest }: Pick<DeclaredLock, 'digest'>,
  { version }: Pick<Interpreter, 'version'>,
): PackagesLocation {
  const root = join(cacheDir ?? config.directories.cache, 'dependencies')
  const dir = join(root, `python-${version}-${process.platform}-${process.arch}-${digest}`)
  return {
    root,
    dir,
    manifest: join(dir, 'manifest.json'),
    inside: `/dependencies/${digest.slice(0, 32)}`,
  }
}
