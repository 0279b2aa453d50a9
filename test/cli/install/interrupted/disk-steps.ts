import fs, { type PathLike } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

/** A call that is about to change the disk. */
export interface DiskStep {
  call: string
  path: string
  /** True if a full disk refuses it. */
  needsSpace: boolean
}

interface DiskWatch {
  /** Only changes below these folders are steps. */
  folders: readonly string[]
  /** Called before each step; an error takes its place. */
  before(step: DiskStep): void
}

/** The functions of Node, also while the disk is watched. */
const REAL = { ...fs }

/** Copies a tree as it is; no step. */
export function copyTree(from: string, to: string): void {
  const stat = REAL.lstatSync(from)
  if (stat.isSymbolicLink()) REAL.symlinkSync(REAL.readlinkSync(from), to)
  else if (stat.isDirectory()) {
    REAL.mkdirSync(to, { recursive: true })
    for (const name of REAL.readdirSync(from)) copyTree(join(from, name), join(to, name))
  } else {
    REAL.writeFileSync(to, REAL.readFileSync(from), { mode: stat.mode })
  }
}

type AnyFunction = (...args: never[]) => unknown
type Functions = Record<string, AnyFunction>

/** Calls that take one step, with the position of the path that they change. */
const PLAIN = { renameSync: 1, unlinkSync: 0, rmdirSync: 0, chmodSync: 0 } as const
const NEW_ENTRY = { linkSync: 1, symlinkSync: 1 } as const
/** Calls that the commands do not use: a step of theirs would not be seen. */
const UNUSED = 'appendFileSync copyFileSync truncateSync ftruncateSync createWriteStream utimesSync'
const UNUSED_PROMISES = 'writeFile appendFile copyFile cp rename unlink symlink link mkdir'

/**
 * Reports every change of the disk before it happens. Long calls are split, so that a process can end
 * within them: a file is created, half written and completed; trees are copied and removed entry by
 * entry. Returns a function that undoes this.
 */
export function watchDisk({ folders, before }: DiskWatch): () => void {
  const real = REAL
  const realPromises = { ...fs.promises }
  const isWatched = (path: string) => folders.some((folder) => path.startsWith(folder))
  const step = (call: string, path: PathLike, needsSpace = false) => {
    if (isWatched(String(path))) before({ call, path: String(path), needsSpace })
  }
  const writers = createWriters(real, step)
  const trees = createTrees(writers.writeFileSync, step)
  const patched: Functions = { ...writers, ...trees }
  for (const [table, needsSpace] of [[PLAIN, false] as const, [NEW_ENTRY, true] as const]) {
    for (const [name, at] of Object.entries(table)) {
      patched[name] = (...args: never[]) => {
        step(name, String(args[at]), needsSpace)
        return (real as unknown as Functions)[name]?.(...args)
      }
    }
  }
  for (const name of UNUSED.split(' ')) patched[name] = refuseUnused(real, name, isWatched)
  const promises: Functions = {}
  for (const name of UNUSED_PROMISES.split(' ')) {
    promises[name] = refuseUnused(realPromises, name, isWatched)
  }
  promises['rm'] = async (path: string, options?: fs.RmOptions) => {
    await Promise.resolve(trees.rmSync(path, options))
  }
  Object.assign(fs, patched)
  Object.assign(fs.promises, promises)
  syncBuiltinESMExports()
  return () => {
    for (const name of Object.keys(patched)) patched[name] = (real as unknown as Functions)[name]!
    for (const name of Object.keys(promises)) {
      promises[name] = (realPromises as unknown as Functions)[name]!
    }
    Object.assign(fs, patched)
    Object.assign(fs.promises, promises)
    syncBuiltinESMExports()
  }
}

type ReportStep = (call: string, path: PathLike, needsSpace?: boolean) => void
type RealFs = typeof fs

function refuseUnused(real: object, name: string, isWatched: (path: string) => boolean) {
  return (...args: never[]) => {
    if (args.some((each) => typeof each === 'string' && isWatched(each))) {
      throw new Error(`${name} is not watched: add it to disk-steps.ts`)
    }
    return (real as Functions)[name]?.(...args)
  }
}

/** Files that are written piece by piece. */
function createWriters(real: RealFs, step: ReportStep) {
  const paths = new Map<number, string>()
  const begun = new Set<number>()
  const openSync = (path: string, flags: string | number = 'r', mode?: number): number => {
    const isNew =
      typeof flags === 'string' ? /[wax]/.test(flags) : (flags & fs.constants.O_CREAT) !== 0
    if (isNew) step('openSync', path, true)
    const descriptor = real.openSync(path, flags, mode)
    paths.set(descriptor, path)
    begun.delete(descriptor)
    return descriptor
  }
  // eslint-disable-next-line max-params -- the signature of Node
  const writeSync = (descriptor: number, data: Uint8Array, at = 0, length?: number): number => {
    step('writeSync', paths.get(descriptor) ?? '', true)
    const size = length ?? data.length - at
    const isFirst = !begun.has(descriptor) && size > 1
    begun.add(descriptor)
    return real.writeSync(descriptor, data, at, isFirst ? size >> 1 : size)
  }
  const writeFileSync = (
    path: string,
    data: string | Uint8Array,
    options?: { flag?: string; mode?: number; flush?: boolean },
  ): void => {
    const descriptor = openSync(path, options?.flag ?? 'w', options?.mode)
    try {
      const bytes = Buffer.from(data as Uint8Array)
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
      if (options?.flush === true) real.fsyncSync(descriptor)
    } finally {
      real.closeSync(descriptor)
    }
  }
  const fsync = (descriptor: number, done: fs.NoParamCallback): void => {
    step('fsync', paths.get(descriptor) ?? '')
    real.fsync(descriptor, done)
  }
  return { openSync, writeSync, writeFileSync, fsync }
}

/** Folders that are created, copied and removed entry by entry. */
function createTrees(
  writeFileSync: ReturnType<typeof createWriters>['writeFileSync'],
  step: ReportStep,
) {
  const mkdirSync = (path: string, options?: fs.MakeDirectoryOptions): string | undefined => {
    if (options?.recursive === true && REAL.existsSync(path)) return REAL.mkdirSync(path, options)
    step('mkdirSync', path, true)
    return REAL.mkdirSync(path, options)
  }
  const rmSync = (path: string, options?: fs.RmOptions): void => {
    const stat = REAL.lstatSync(path, { throwIfNoEntry: false })
    if (!stat && options?.force === true) return
    if (stat?.isDirectory() !== true) {
      step('unlink', path)
      return REAL.unlinkSync(path)
    }
    if (options?.recursive !== true) throw new Error(`"${path}" is a folder`)
    for (const name of REAL.readdirSync(path)) rmSync(join(path, name), options)
    step('rmdir', path)
    REAL.rmdirSync(path)
  }
  const cpSync = (from: string, to: string, options?: fs.CopySyncOptions): void => {
    if (options?.filter?.(from, to) === false) return
    const stat = REAL.lstatSync(from)
    if (stat.isSymbolicLink()) {
      step('symlink', to, true)
      REAL.symlinkSync(REAL.readlinkSync(from), to)
    } else if (stat.isDirectory()) {
      mkdirSync(to)
      for (const name of REAL.readdirSync(from)) cpSync(join(from, name), join(to, name), options)
    } else writeFileSync(to, REAL.readFileSync(from), { flag: 'wx', mode: stat.mode })
  }
  return { mkdirSync, rmSync, cpSync }
}
