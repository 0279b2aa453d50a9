import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { StagedFiles } from '../rootfs/stage-files.ts'

/** Links into /usr on most systems, real folders elsewhere; a container has neither. */
const SYSTEM_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/sbin']
/** Engines always mount over these. */
const ENGINE_MOUNTED_FILES = ['hosts', 'hostname', 'resolv.conf', 'mtab']

/** Lists the mounts that host programs need to start. */
export function listSystemMounts(): { source: string; target: string }[] {
  return ['/usr', ...SYSTEM_FOLDERS]
    .filter((folder) => existsSync(folder))
    .map((folder) => ({ source: realpathSync(folder), target: folder }))
}

/** Replacements for files of the engine that describe the host. */
export interface CoverFiles {
  /** A file that only root can read. */
  file: string
  /** A folder that only root can list. */
  folder: string
}

/** Creates the replacements, and empty files as mount points of the engine's own files. */
export function createCoverFiles({ dir, etc }: StagedFiles): CoverFiles {
  for (const name of ENGINE_MOUNTED_FILES) {
    const path = join(etc, name)
    if (lstatSync(path, { throwIfNoEntry: false })) continue
    writeFileSync(path, '')
    chmodSync(path, 0o444)
  }
  const covers = { file: join(dir, 'nothing'), folder: join(dir, 'run') }
  writeFileSync(covers.file, '', { mode: 0o400 })
  mkdirSync(covers.folder, { mode: 0o711 })
  writeFileSync(join(covers.folder, '.containerenv'), '')
  return covers
}

/** Caps a value to this process's hard limit, which an engine on another machine does not have. */
export function capToHardLimit(limit: 'open files' | 'processes', requested: number): number {
  if (process.platform !== 'linux') return requested
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`Max ${limit} `))
  const hard = Number(line?.trim().split(/\s{2,}/)[2])
  return Number.isFinite(hard) ? Math.min(requested, hard) : requested
}
