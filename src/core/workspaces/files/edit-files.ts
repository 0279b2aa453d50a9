import { refusedParam, SkillsError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { isText } from '../../../util/mime.ts'
import type { WorkspaceReplaceParams } from '../../methods/workspace-replace/definition.ts'
import type { WorkspaceWriteParams } from '../../methods/workspace-write/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { measureFolder } from '../../sandbox/rootfs/measure-folder.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey } from '../commands/skill-command.ts'
import type { Workspace } from '../workspace.ts'
import { toWorkspacePath } from './find-files.ts'
import { OutsideWorkspaceError } from './workspace-tree.ts'
import { writeWorkspaceFile } from './write-file.ts'

/** Larger files are written by a command. */
const MAX_TEXT_BYTES = 4 * 1024 ** 2

interface WrittenFile {
  path: string
  ref: string
  size_bytes: number
}

/** Writes a text file into the workspace of a session. */
export async function writeInWorkspace(
  services: Services,
  { session, path, content, overwrite = true }: WorkspaceWriteParams,
  call: RunCall,
): Promise<WrittenFile & { created: boolean }> {
  const target = resolveFilePath(path)
  const bytes = Buffer.from(content)
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const tree = await workspace.tree()
    const existing = tree.withEntry(target, ({ stat }) => stat)
    if (existing && !overwrite) {
      throw refusedParam('path', `"${target.slice(0, 200)}" exists, and overwrite is false`)
    }
    const written = await writeText(services, workspace, { target, bytes, mode: existing?.mode })
    return { ...written, created: existing === undefined }
  })
}

/** Replaces text in a file of the workspace of a session. */
export async function replaceInWorkspace(
  services: Services,
  { session, path, old_text: before, new_text: after, all = false }: WorkspaceReplaceParams,
  call: RunCall,
): Promise<WrittenFile & { replacements: number }> {
  const target = resolveFilePath(path)
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    const tree = await workspace.tree()
    const read = tree.read(target, MAX_TEXT_BYTES)
    if (!read) throw fileNotFoundError(target)
    if (read.size > read.bytes.length || !isText(read.bytes)) {
      throw refusedParam('path', `"${target.slice(0, 200)}" is not a text of at most 4 MiB`)
    }
    const parts = read.bytes.toString('utf8').split(before)
    const found = parts.length - 1
    if (found === 0) {
      throw refusedParam('old_text', `old_text does not occur in "${target.slice(0, 200)}"`)
    }
    if (found > 1 && !all) {
      throw refusedParam(
        'old_text',
        `old_text occurs ${found} times in "${target.slice(0, 200)}": pass a longer text, or all`,
      )
    }
    const bytes = Buffer.from(parts.join(after))
    const mode = tree.withEntry(target, ({ stat }) => stat.mode)
    const written = await writeText(services, workspace, { target: read.name, bytes, mode })
    return { ...written, path: target, replacements: found }
  })
}

async function writeText(
  { config }: Services,
  workspace: Workspace,
  { target, bytes, mode }: { target: string; bytes: Buffer; mode: number | undefined },
): Promise<WrittenFile> {
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new SkillsError('file/too-large', `The text has ${formatBytes(bytes.length)}`, {
      hint: 'Write at most 4 MiB, and larger files with a command',
    })
  }
  await requireRoom(workspace, bytes.length, config.run.limits.workspaceBytes)
  try {
    writeWorkspaceFile(await workspace.tree(), target, { bytes, mode })
  } catch (error) {
    if (!(error instanceof OutsideWorkspaceError)) throw error
    throw refusedParam('path', `Cannot write "${target.slice(0, 200)}": ${error.message}`)
  }
  return { path: target, ref: `workspace://${target}`, size_bytes: bytes.length }
}

async function requireRoom(workspace: Workspace, size: number, limit: number): Promise<void> {
  const used = await measureFolder(workspace.root, { bytes: limit - size, entries: Infinity })
  if (used.bytes <= limit - size) return
  throw new SkillsError('store/full', `The workspace would exceed ${formatBytes(limit)}`, {
    hint: 'Remove files of the workspace first',
  })
}

/** Normalizes a path; whether it leads out through a link is checked when it is opened. */
export function resolveFilePath(path: string): string {
  const plain = toWorkspacePath(path.trim().replace(/^workspace:\/\//, ''))
  const parts = plain?.split('/').filter((part) => part !== '' && part !== '.') ?? []
  if (plain === undefined || parts.includes('..') || plain.includes('\0')) {
    throw refusedParam('path', 'path must stay within the workspace')
  }
  if (parts.length === 0) throw refusedParam('path', 'path must name a file of the workspace')
  return parts.join('/')
}

export function fileNotFoundError(path: string): SkillsError {
  return new SkillsError('file/not-found', `"${path.slice(0, 200)}" is not in the workspace`, {
    hint: 'workspace_list lists the files of the workspace',
  })
}
