import {
  constants,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, join, posix } from 'node:path'
import { readdirSync } from 'node:fs'
import { runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import { SkillsError } from '../../../errors.ts'
import { loadArtifact, parseArtifactRef } from '../artifacts/artifacts.ts'
import { isBelowAny } from './host-roots.ts'
import { toWorkspacePath } from './find-files.ts'
import { OutsideWorkspaceError, type WorkspaceTree } from './workspace-tree.ts'
import type { Workspace } from '../workspace.ts'
import { writeWorkspaceFile } from './write-file.ts'

/** An input that a command requires in its workspace. */
export interface InputRequest {
  from: string
  to?: string | undefined
  mode?: string | undefined
  pin?: boolean | undefined
}

interface InputStaging {
  workspace: Workspace
  tree: WorkspaceTree
  /** Folders that host:// may refer to. */
  hostRoots: readonly string[]
  /** Stages a skill into the workspace if necessary; false if it does not exist. */
  stageSkill(name: string): Promise<boolean>
  /** Maximum number of bytes to copy. */
  maxBytes: number
}

const CHUNK = 1024 ** 2
const MAX_ENTRIES = 20_000
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Stages inputs into a workspace; returns warnings about deviations. */
export async function stageInputs(
  inputs: readonly InputRequest[],
  to: InputStaging,
): Promise<string[]> {
  if (inputs.length === 0) return []
  const attributes = { 'skills.files.count': inputs.length }
  return await to.workspace.spans.record(
    { name: 'workspace.stage.inputs', attributes },
    async () => {
      const warnings: string[] = []
      const room = { left: to.maxBytes }
      for (const input of inputs) await stageCheckedInput(input, to, { room, warnings })
      return warnings
    },
  )
}

async function stageCheckedInput(
  input: InputRequest,
  to: InputStaging,
  staging: StagingState,
): Promise<void> {
  try {
    await stageInput(input, to, staging)
  } catch (error) {
    if (!(error instanceof OutsideWorkspaceError)) throw error
    throw invalidInputError(input.from, error.message)
  }
}

interface StagingState {
  room: { left: number }
  warnings: string[]
}

async function stageInput(
  input: InputRequest,
  context: InputStaging,
  staging: StagingState,
): Promise<void> {
  const [, scheme, rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(input.from.trim()) ?? []
  if (scheme === 'artifact') return await stageArtifact(input, context, staging)
  if (scheme === 'host') return await stageHostPath(input, context, { ...staging, path: rest })
  if (scheme === 'workspace' || scheme === 'skill') {
    return await stageWorkspacePath(input, context, { ...staging, scheme, rest })
  }
  throw invalidInputError(input.from, 'expected artifact://, host://, workspace:// or skill://')
}

async function stageArtifact(
  input: InputRequest,
  context: InputStaging,
  { room }: StagingState,
): Promise<void> {
  const { workspace, tree } = context
  const ref = parseArtifactRef(input.from.trim())
  const to = resolveTarget(input, basename(ref.name))
  const pinned = workspace.state.inputs[to]
  const isSame = input.pin === true && pinned?.from === ref.name && pinned.version !== undefined
  const version = ref.version ?? (isSame ? pinned.version : undefined)
  const artifact = await loadArtifact(workspace, { name: ref.name, version })
  if (!artifact) throw invalidInputError(input.from, 'there is no such artifact in this session')
  writeInput(tree, to, { bytes: artifact.bytes, room })
  const staged = { from: ref.name, key: artifact.digest, version: artifact.version }
  workspace.update(({ inputs }) => ({ inputs: { ...inputs, [to]: staged } }))
}

async function stageHostPath(
  input: InputRequest,
  context: InputStaging,
  staging: StagingState & { path: string },
): Promise<void> {
  const source = resolveHostPath(input.from, staging.path, context.hostRoots)
  const to = resolveTarget(input, basename(source))
  const isFolder = lstatSync(source).isDirectory()
  if (input.mode === 'link' && isFolder) return linkHostFolder(source, to, context)
  if (input.mode === 'link') {
    staging.warnings.push(`"${input.from}" is a single file: it was copied, not linked`)
  }
  const limits = { room: staging.room, entries: { left: MAX_ENTRIES } }
  await runInSlices(copyFromHost(source, to, { tree: context.tree, ...limits }))
}

/** Mounts the folder under a separate path and links to it. */
function linkHostFolder(source: string, to: string, { workspace, tree }: InputStaging): void {
  const name = createHash('sha256').update(source).digest('hex').slice(0, 16)
  workspace.update(({ links }) => ({ links: { ...links, [name]: source } }))
  tree.link(to, `/inputs/${name}`)
}

/** The real path, which must be inside one of the operator's folders. */
function resolveHostPath(from: string, path: string, roots: readonly string[]): string {
  if (!posix.isAbsolute(path))
    throw invalidInputError(from, 'expected an absolute path behind host://')
  const refused = invalidInputError(from, 'it is not in a folder of workspace.host_roots')
  let real: string
  try {
    real = realpathSync(path)
  } catch {
    // Reports a missing file only inside allowed folders: elsewhere its existence is confidential.
    throw isBelowAny(posix.normalize(path), roots)
      ? invalidInputError(from, 'there is no such file')
      : refused
  }
  if (!isBelowAny(real, roots)) throw refused
  return real
}

interface HostCopy {
  tree: WorkspaceTree
  room: { left: number }
  entries: { left: number }
}

function* copyFromHost(source: string, to: string, copy: HostCopy): Steps<void> {
  yield
  copy.entries.left -= 1
  if (copy.entries.left < 0)
    throw invalidInputError(source, `it holds more than ${MAX_ENTRIES} files`)
  const stat = lstatSync(source)
  if (stat.isDirectory()) {
    copy.tree.makeFolder(to)
    for (const name of readdirSync(source))
      yield* copyFromHost(join(source, name), `${to}/${name}`, copy)
  } else if (stat.isFile()) yield* copyHostFile(source, to, copy)
}

function* copyHostFile(source: string, to: string, { tree, room }: HostCopy): Steps<void> {
  const from = openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (!fstatSync(from).isFile()) return
    const target = tree.create(to)
    try {
      const chunk = Buffer.alloc(CHUNK)
      for (let size = readSync(from, chunk); size > 0; size = readSync(from, chunk)) {
        reserveBytes(room, size)
        writeSync(target, chunk, 0, size)
        yield
      }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(from)
  }
}

async function stageWorkspacePath(
  input: InputRequest,
  context: InputStaging,
  { room, scheme, rest }: StagingState & { scheme: string; rest: string },
): Promise<void> {
  const isSkill = scheme === 'skill'
  const [skill = ''] = rest.split('/')
  if (isSkill && !(await context.stageSkill(skill)))
    throw invalidInputError(input.from, 'there is no such skill')
  // A skill that was just staged adds a mount, so the tree is rebuilt.
  const tree = isSkill ? await context.workspace.tree() : context.tree
  const plain = (isSkill ? `skills/${rest}` : toWorkspacePath(rest)) ?? '..'
  const name = plain.split('/').includes('..')
    ? undefined
    : tree.withEntry(plain, (entry) => entry.name)
  if (name === undefined) {
    throw invalidInputError(input.from, 'there is no such file in the workspace')
  }
  const to = resolveTarget(input, basename(plain))
  if (to === name) return
  if (to.startsWith(`${name}/`)) throw invalidInputError(input.from, 'it cannot be put into itself')
  if (input.mode === 'link') return tree.link(to, `/workspace/${name}`)
  const limits = { room, entries: { left: MAX_ENTRIES } }
  await runInSlices(copyInside(tree, { from: name, to }, limits))
}

function* copyInside(
  tree: WorkspaceTree,
  { from, to }: { from: string; to: string },
  limits: Omit<HostCopy, 'tree'>,
): Steps<void> {
  yield
  limits.entries.left -= 1
  if (limits.entries.left < 0)
    throw invalidInputError(from, `it holds more than ${MAX_ENTRIES} files`)
  const isFolder = tree.withEntry(from, ({ stat }) => stat.isDirectory(), { follows: false })
  if (isFolder === true) {
    tree.makeFolder(to)
    const names = { left: limits.entries.left + 1 }
    for (const { name, stat } of yield* tree.list(from, names)) {
      if (!stat.isSymbolicLink())
        yield* copyInside(tree, { from: `${from}/${name}`, to: `${to}/${name}` }, limits)
    }
    return
  }
  yield* copyFileInside(tree, { from, to }, limits.room)
}

/** Copied in pieces: the file may be as large as the workspace. */
function* copyFileInside(
  tree: WorkspaceTree,
  { from, to }: { from: string; to: string },
  room: { left: number },
): Steps<void> {
  let piece = tree.readAt(from, 0, CHUNK)
  // Through a symlink, source and target may be the same file.
  const existing = tree.withEntry(to, ({ name }) => name, { follows: false })
  if (!piece || existing === from) return
  const target = tree.create(to)
  try {
    for (
      let offset = 0;
      piece && piece.bytes.length > 0;
      piece = tree.readAt(from, offset, CHUNK)
    ) {
      reserveBytes(room, piece.bytes.length)
      offset += piece.bytes.length
      for (let written = 0; written < piece.bytes.length;)
        written += writeSync(target, piece.bytes, written)
      yield
    }
  } finally {
    closeSync(target)
  }
}

function writeInput(
  tree: WorkspaceTree,
  to: string,
  { bytes, room }: { bytes: Buffer; room: { left: number } },
): void {
  reserveBytes(room, bytes.length)
  writeWorkspaceFile(tree, to, { bytes })
}

function reserveBytes(room: { left: number }, size: number): void {
  room.left -= size
  if (room.left < 0)
    throw new OutsideWorkspaceError('the inputs exceed the maximum size of the workspace')
}

/** `inputs/x` means `work/inputs/x`, as in a skill's own folder. */
function resolveTarget({ to, from }: InputRequest, name: string): string {
  const path = (to ?? '').trim().replaceAll('\\', '/')
  if (!['', '.', 'inputs', 'inputs/'].includes(path)) return normalizeTarget(path, from)
  if (name === '' || name === '.' || name === '..') {
    throw invalidInputError(from, 'set "to" to the target path')
  }
  return `work/inputs/${name}`
}

function normalizeTarget(path: string, from: string): string {
  const plain = toWorkspacePath(path)
  if (plain === undefined || plain.split('/').includes('..')) {
    throw invalidInputError(from, `"${path.slice(0, 200)}" leads out of the workspace`)
  }
  const clean = posix.normalize(plain).replace(/\/$/, '')
  if (clean === '.' || clean === 'skills' || clean.startsWith('skills/')) {
    throw invalidInputError(
      from,
      'the target must be in work/, out/ or runs/, or have a name other than skills',
    )
  }
  return clean === 'inputs' || clean.startsWith('inputs/') ? `work/${clean}` : clean
}

function invalidInputError(from: string, reason: string): SkillsError {
  const message = `Cannot stage the input "${from.slice(0, 200)}": ${reason}`
  return new SkillsError('params/invalid', message, { data: { param: 'inputs', reason } })
}
