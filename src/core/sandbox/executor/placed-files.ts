import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRequest } from '../backend.ts'
import { GUEST_FOLDERS, type GuestFolders } from '../guest-host/guest-job.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import type { PlacedItem } from './pack-files.ts'

/** Mount points of tools that are part of a run. Others are programs, found by name inside. */
const COPIED_TOOLS = ['/build/', '/dependencies/', '/typescript/']

/** The files of one run: what is copied to the executor, and what is copied back. */
export interface PlacedFiles {
  items: readonly PlacedItem[]
  /** Folders of the host that get the changes, by path inside. */
  returned: ReadonlyMap<string, string>
  /** Folders inside these that are not returned. */
  leftOut: readonly string[]
  /** Folder of the host that gets the workspace's files; undefined if nothing needs them. */
  workspace: string | undefined
}

/** Plans the copies in place of all mounts of a sandbox. */
export function planPlacedFiles(request: SandboxRequest, staged: StagedFiles): PlacedFiles {
  const { blobs } = request
  // The tools of this machine may not run there.
  const folders = (request.folders ?? []).filter(({ isTool }) => isTool !== true)
  const workspace = findWorkspace(request, staged)
  const tools = staged.tools.filter(({ target }) =>
    COPIED_TOOLS.some((prefix) => `${target}/`.startsWith(prefix)),
  )
  const writable = folders.filter(({ mode }) => mode === 'read-write')
  return {
    workspace,
    items: [
      { target: '/guest', source: staged.guest },
      { target: `/${NODE_MODULES}`, link: `guest/${NODE_MODULES}` },
      ...Object.values(GUEST_FOLDERS).map((target) => ({ target })),
      ...staged.skills.map(({ name, path }) => ({ target: `/skills/${name}`, source: path })),
      ...blobs.flatMap(({ name, path }) => [
        { target: `/blobs/${name}`, source: path },
        { target: `/blobs/blob:${name}`, link: name },
      ]),
      ...(staged.code === undefined ? [] : [{ target: '/code', source: staged.code }]),
      ...tools,
      ...(request.workspace
        ? [{ target: '/workspace', source: request.workspace.source, isCounted: true }]
        : []),
      ...folders.map(({ target, source }) => ({ target, source, isCounted: true })),
    ],
    returned: new Map([
      ...(workspace === undefined ? [] : [['/workspace', workspace] as const]),
      ...writable.map(({ target, source }) => [target, source] as const),
    ]),
    leftOut: folders.map(({ target }) => target),
  }
}

function findWorkspace(request: SandboxRequest, staged: StagedFiles): string | undefined {
  if (request.workspace) return request.workspace.source
  if (request.keepIn === undefined) return undefined
  const own = join(staged.dir, 'workspace')
  mkdirSync(own, { mode: 0o700 })
  return own
}

/** Paths inside of the folders of a run, below its own folder. */
export function locateFolders(root: string): GuestFolders {
  const { skills, blobs, workspace, tmp } = GUEST_FOLDERS
  return {
    skills: root + skills,
    blobs: root + blobs,
    workspace: root + workspace,
    tmp: root + tmp,
  }
}
