import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { canResolveDescriptors, captureFolders } from '../../../util/still-folders.ts'
import { readSkillSource } from '../../skills/manifest/read-source.ts'
import { killOrphans } from '../linux/orphans.ts'
import { isLeftBehind, ownerMark } from '../owner.ts'
import { linkNodePackages } from './link-node-packages.ts'
import { addReadableFile, createReadableFolder, writeReadableFile } from './readable-files.ts'
import { removeStagingFolder } from './remove-staging-folder.ts'
import { toStagingError } from './staging-error.ts'
import type { HiddenFolder, Interpreter, SandboxRequest } from '../backend.ts'
import { CA_BUNDLE_PATH, JAVA_TRUST_PATH } from '../network.ts'
import { createJavaTrustStore } from './java-trust-store.ts'
import { listSystemSettings } from '../../../util/files/system-settings.ts'
import { readGuestFiles, NODE_MODULES } from '../guest-host/guest-files.ts'
import { selectGuestFiles, type GuestNeeds } from '../guest-host/guest-parts.ts'
import { COVER_FILES, COVER_FOLDERS } from './covers.ts'

/** Copies that a sandbox mounts, at a path that reveals nothing about this machine. */
export interface StagedFiles {
  /** Staging folder that contains everything. */
  dir: string
  /** Folder below it with all copies. */
  copies: string
  etc: string
  guest: string
  skills: readonly { name: string; path: string }[]
  blobs: readonly { name: string; path: string }[]
  /** Folder of the code in the request. */
  code: string | undefined
  tools: readonly { source: string; target: string }[]
  hidden: readonly HiddenFolder[]
  remove(): void
}

interface GuestOptions {
  compiled?: Interpreter['compiled'] | undefined
  needs?: GuestNeeds
  /** Complete folder of the guest; without one, its files are written. */
  guest?: string | undefined
}

/**
 * Copies the files of a run, readable for every user inside, regardless of their modes on the host.
 */
export function stageFiles(
  request: SandboxRequest,
  user: number,
  { compiled = new Map(), needs = {}, guest }: GuestOptions = {},
): StagedFiles {
  const sources = [
    ...request.skills.map(({ dir }) => dir),
    ...request.blobs.map(({ path }) => path),
  ]
  let dir = ''
  const remove = () => {
    if (dir !== '') removeStagingFolder(dir)
  }
  try {
    dir = createStagingFolder(request.id)
    const copies = join(dir, 'copies')
    mkdirSync(copies)
    return {
      dir,
      copies,
      etc: writeEtc(join(copies, 'etc'), user, request),
      guest:
        guest ??
        linkNodePackages(
          writeGuestFolder(join(copies, 'guest'), compiled, selectGuestFiles(request, needs)),
          request,
        ),
      skills: request.skills.map((skill, at) => {
        const path = copySkill(skill.dir, join(copies, `skill-${at}`), skill.addedFiles)
        skill.requireUnchanged?.()
        return { name: skill.name, path }
      }),
      blobs: request.blobs.map(({ name, path }) => ({
        name,
        path: linkOrCopy(path, join(copies, name)),
      })),
      code: request.code && writeCodeFolder(join(copies, 'code'), request.code),
      tools: request.tools ?? [],
      hidden: request.hidden ?? [],
      remove,
    }
  } catch (error) {
    remove()
    throw toStagingError(error, sources)
  }
}

/** Creates the staging folder of a run, accessible only to this user. */
export function createStagingFolder(id: string): string {
  const dir = join(openStagingRoot(), `${ownerMark()}.${id}`)
  mkdirSync(dir, { mode: 0o700 })
  return dir
}

/** Removes the staging folders of dead processes. */
export function sweepStagingFolders(): void {
  let root: string
  try {
    root = openStagingRoot()
  } catch (error) {
    throw toStagingError(error, [])
  }
  const left = readdirSync(root)
    .filter((name) => {
      const { mtimeMs = Infinity } = lstatSync(join(root, name), { throwIfNoEntry: false }) ?? {}
      return isLeftBehind(name, Date.now() - mtimeMs)
    })
    .map((name) => join(root, name))
  // Scanning all processes is worthwhile only if one of ours was killed.
  if (left.length > 0) killOrphans()
  for (const dir of left) {
    try {
      removeStagingFolder(dir)
    } catch {
      // The next start tries again; leftovers of one run must not block another.
    }
  }
}

/**
 * Opens a folder that only this user can write to: in a shared /tmp, another user may have created
 * one with its name.
 */
function openStagingRoot(): string {
  const uid = process.getuid?.() ?? 0
  const root = join(realpathSync(tmpdir()), `skills-runs-${uid}`)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const stat = lstatSync(root)
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0) {
    throw new SkillsError('sandbox/unavailable', `"${root}" belongs to another user`, {
      hint: 'Set TMPDIR to a folder of your own',
    })
  }
  return root
}

/** Renders the files of /etc, by name. */
export function renderEtcFiles(user: number | string, network: SandboxRequest['network']) {
  return {
    passwd: `root:x:0:0::/nonexistent:/bin/false\nskill:x:${user}:${user}::/workspace:/bin/sh\n`,
    group: `root:x:0:\nskill:x:${user}:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    'nsswitch.conf': `passwd: files\ngroup: files\nhosts: files${network ? ' dns' : ''}\n`,
    ...(network && { 'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:5 attempts:2\n' }),
  }
}

/** Writes the /etc folder of a run. */
export function writeEtc(
  dir: string,
  user: number,
  { network, tools = [] }: Pick<SandboxRequest, 'network' | 'tools'>,
): string {
  createReadableFolder(dir)
  for (const [name, text] of Object.entries(renderEtcFiles(user, network))) {
    writeReadableFile(join(dir, name), text)
  }
  const cache = '/etc/ld.so.cache'
  if (lstatSync(cache, { throwIfNoEntry: false })?.isFile()) {
    copyReadableFile(cache, join(dir, 'ld.so.cache'))
  }
  if (network) writeCertificates(dir, network)
  // Creates the mount points now, because /etc is read-only once it is mounted.
  const mounted = [...listSystemSettings(), ...tools.map(({ target }) => target)]
  for (const target of mounted) {
    if (dirname(target) === '/etc') createReadableFolder(join(dir, basename(target)))
  }
  return dir
}

/** Writes the CA bundle of the host and the authority of the run. */
function writeCertificates(
  dir: string,
  { certificates, authority }: NonNullable<SandboxRequest['network']>,
): void {
  if (certificates === undefined && authority === undefined) return
  for (const folder of ['ssl', 'ssl/certs']) createReadableFolder(join(dir, folder))
  const bundle = join(dir, relative('/etc', CA_BUNDLE_PATH))
  // The host's path is usually a symlink.
  const source = certificates === undefined ? undefined : realpathSync(certificates)
  if (authority === undefined && source !== undefined) copyReadableFile(source, bundle)
  else {
    const trusted = source === undefined ? '' : readFileSync(source, 'utf8')
    const all = `${trusted.trimEnd()}\n${authority ?? ''}`
    writeReadableFile(bundle, all)
    writeReadableFile(join(dir, relative('/etc', JAVA_TRUST_PATH)), createJavaTrustStore(all))
  }
}

/** Writes the code as the only file of a folder. */
export function writeCodeFolder(
  dir: string,
  { file, text }: { file: string; text: string },
): string {
  createReadableFolder(dir)
  writeReadableFile(join(dir, file), text)
  return dir
}

/**
 * Writes the guest with its compiled modules, which Python would otherwise compile in every run.
 */
export function writeGuestFolder(
  dir: string,
  compiled: Interpreter['compiled'],
  isNeeded: (name: string) => boolean = () => true,
): string {
  createReadableFolder(dir)
  const files = readGuestFiles().filter(({ name }) => isNeeded(name))
  const parents = files.flatMap(({ name }) => listParentFolders(name))
  const folders = new Set([NODE_MODULES, ...COVER_FOLDERS, ...parents])
  for (const folder of folders) createReadableFolder(join(dir, folder))
  for (const { name, text } of files) writeReadableFile(join(dir, name), text)
  for (const [name, text] of COVER_FILES) writeReadableFile(join(dir, name), text)
  const cache = join(dir, '__pycache__')
  if (compiled.size > 0) createReadableFolder(cache)
  for (const [path, data] of compiled) {
    const name = basename(path)
    if (isNeeded(name)) writeReadableFile(join(cache, name), Buffer.from(data, 'base64'))
  }
  return dir
}

/** Lists the parent folders of a file, outermost first. */
function listParentFolders(name: string): string[] {
  const segments = name.split('/').slice(0, -1)
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}

/**
 * Copies a skill so that every user inside can read it and none can change it. Added files replace
 * those of the same path.
 */
export function copySkill(
  from: string,
  to: string,
  added: ReadonlyMap<string, string> = new Map(),
): string {
  const stillFolders = canResolveDescriptors() ? undefined : awaitStillFolders(from)
  const { files, filesCut } = readSkillSource(from)
  const special = files.find((file) => file.type === 'other')
  if (filesCut || special) {
    const what = special ? `"${special.path}" is not a regular file` : 'it contains too many files'
    throw new SkillsError('skill/invalid', `Cannot run the skill: ${what}`, {
      hint: `Type: skills lint "${from}"`,
    })
  }
  createReadableFolder(to)
  const root = realpathSync(from)
  for (const file of files) {
    const target = join(to, file.path)
    if (file.type === 'directory') createReadableFolder(target)
    // Symlinks are copied as symlinks; they resolve inside the sandbox.
    else if (file.type === 'symlink') symlinkSync(readlinkSync(join(from, file.path)), target)
    else
      copyReadableFile(join(from, file.path), target, {
        mode: file.mode,
        real: join(root, file.path),
      })
  }
  if (stillFolders && !stillFolders.areUnchanged()) throw fileChangedError(from)
  for (const [path, text] of added) addReadableFile(to, path, text)
  return to
}

/**
 * Waits until a later change of a skill's folders is sure to be noticed: for systems that do not
 * report the path of an open file. Files that are copied while the folders stay unchanged are those
 * of the skill.
 */
function awaitStillFolders(dir: string): { areUnchanged(): boolean } {
  const root = realpathSync(dir)
  const capture = () => {
    const folders = readSkillSource(root).files.filter(({ type }) => type === 'directory')
    return captureFolders([root, ...folders.map(({ path }) => join(root, path))])
  }
  const first = capture()
  if (!first) throw fileChangedError(dir)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, first.settleMs)
  return { areUnchanged: () => capture()?.text === first.text }
}

function copyReadableFile(
  from: string,
  to: string,
  { mode = 0o444, real }: { mode?: number; real?: string } = {},
): void {
  // Copies through a descriptor, so that a symlink swapped in meanwhile is not followed.
  const fd = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    // A parent folder may have been replaced by a symlink, too.
    const canResolve = canResolveDescriptors()
    const isUnmoved =
      real === undefined || !canResolve || readlinkSync(`/proc/self/fd/${fd}`) === real
    if (!isUnmoved || !fstatSync(fd).isFile()) throw fileChangedError(from)
    const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
    if (canResolve) copyFileSync(`/proc/self/fd/${fd}`, to, flags)
    else writeFileSync(to, readFileSync(fd), { flag: 'wx' })
  } finally {
    closeSync(fd)
  }
  chmodSync(to, (mode & 0o111) !== 0 ? 0o555 : 0o444)
}

function fileChangedError(path: string): SkillsError {
  return new SkillsError('file/unreadable', `"${path}" changed while it was being read`, {
    hint: 'Run it again when no other process writes to that folder',
  })
}

/** Creates a hard link, or a copy if the filesystem does not support it. */
export function linkOrCopy(from: string, to: string): string {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    chmodSync(to, 0o444)
  }
  return to
}
