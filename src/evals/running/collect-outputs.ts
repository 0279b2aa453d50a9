import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getWorkspaceKey } from '../../core/workspaces/commands/skill-command.ts'
import type { WorkspaceTree } from '../../core/workspaces/files/workspace-tree.ts'
import { runInSlices, type Steps } from '../../util/slices/run-in-slices.ts'
import type { EvalRuntime } from './eval-runtime.ts'

/** Folders of a workspace that the model did not write. */
const OWN_FOLDERS = /^(?:runs|skills|\.venvs|work\/inputs|case)(?:\/|$)/
const MAX_FILES = 500
const MAX_BYTES = 64 * 1024 ** 2

/** Copies the files that a conversation created; returns their number and those left out. */
export async function collectOutputs(
  { test, call }: EvalRuntime,
  session: string,
  target: string,
): Promise<{ files: number; leftOut: number }> {
  const workspaces = await test.services.workspaces()
  const key = getWorkspaceKey(session, call)
  mkdirSync(target, { recursive: true })
  return await workspaces.use(key, call, async (workspace) =>
    runInSlices(copyFiles(await workspace.tree(), target)),
  )
}

function* copyFiles(
  tree: WorkspaceTree,
  target: string,
): Steps<{ files: number; leftOut: number }> {
  const pending = ['']
  let [files, bytes, leftOut] = [0, 0, 0]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const { name, stat } of yield* tree.list(folder, { left: Infinity })) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (OWN_FOLDERS.test(path)) continue
      if (stat.isDirectory()) pending.push(path)
      else if (stat.isFile() && files < MAX_FILES && bytes + stat.size <= MAX_BYTES) {
        const piece = tree.read(path, MAX_BYTES - bytes)
        if (!piece) continue
        mkdirSync(dirname(join(target, path)), { recursive: true })
        writeFileSync(join(target, path), piece.bytes)
        files += 1
        bytes += piece.bytes.length
      } else leftOut += 1
    }
  }
  return { files, leftOut }
}
