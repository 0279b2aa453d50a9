import { join } from 'node:path'
import type { Services } from '../../services.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import type { DeclaredLock } from './declared-lock.ts'
import { readPlatform } from './npm/platform.ts'

/** Paths of a lock file's packages for one interpreter, on this machine and inside a run. */
export interface PackagesLocation {
  /** Contains the packages of all lock files. */
  root: string
  dir: string
  /** Digests of the installed files. */
  manifest: string
  inside: string
}

/** Parent of all packages inside a run. */
export const DEPENDENCIES_FOLDER = '/dependencies/'

/** The folder depends only on the lock file and the interpreter, so skills can share it. */
export function locatePackages(
  { cacheDir, config }: Pick<Services, 'cacheDir' | 'config'>,
  { digest }: Pick<DeclaredLock, 'digest'>,
  { version }: Pick<Interpreter, 'version'>,
): PackagesLocation {
  return createLocation({ cacheDir, config }, `python-${version}`, digest)
}

/** Packages of Node do not depend on its version, but some on the C library. */
export function locateNpmPackages(
  services: Pick<Services, 'cacheDir' | 'config'>,
  { digest }: Pick<DeclaredLock, 'digest'>,
): PackagesLocation {
  return createLocation(services, readPlatform().libc === 'musl' ? 'node-musl' : 'node', digest)
}

function createLocation(
  { cacheDir, config }: Pick<Services, 'cacheDir' | 'config'>,
  kind: string,
  digest: string,
): PackagesLocation {
  const root = join(cacheDir ?? config.directories.cache, 'dependencies')
  const dir = join(root, `${kind}-${process.platform}-${process.arch}-${digest}`)
  return {
    root,
    dir,
    manifest: join(dir, 'manifest.json'),
    inside: DEPENDENCIES_FOLDER + digest.slice(0, 32),
  }
}
