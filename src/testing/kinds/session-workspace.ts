import { copyFolder } from '../../core/sandbox/rootfs/copy-folder.ts'
import type { CaseRecord, WorkspaceChanges } from '../../core/testing/expectations/case-record.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import type { WorkspaceTree } from '../../core/workspaces/files/workspace-tree.ts'
import { writeWorkspaceFile } from '../../core/workspaces/files/write-file.ts'
import type { Workspace } from '../../core/workspaces/workspace.ts'
import type { CaseContext } from './case-performer.ts'
import { readWorkspace } from './read-workspace.ts'
import { listSetupFiles } from './setup.ts'

/** Folders of a workspace that the runtime owns. */
const OWN_FOLDERS = /^(?:runs|skills|\.venvs|work\/inputs)\//

/** Writes the files and fake commands of a case into the workspace of its session. */
export function writeSetupFiles(tree: WorkspaceTree, testCase: TestCase): void {
  for (const [path, { bytes, isProgram }] of listSetupFiles(testCase)) {
    writeWorkspaceFile(tree, path, { bytes, mode: isProgram ? 0o755 : 0o644 })
  }
}

/** Copies the workspace of a session if a judge needs it, and compares it with the files of the case. */
export async function recordWorkspace(
  workspace: Workspace,
  { coverage, needs, folder, services, testCase }: CaseContext,
): Promise<Pick<CaseRecord, 'files' | 'calls'>> {
  coverage?.readWorkspace(workspace.root)
  if (needs.has('workspace')) {
    const maxBytes = services.config.run.limits.workspaceBytes
    await copyFolder(Buffer.from(workspace.root), Buffer.from(folder), { maxBytes })
  }
  const { files, calls } = readWorkspace(folder, testCase)
  return { files: selectOwnFiles(files), calls }
}

function selectOwnFiles(changes: WorkspaceChanges): WorkspaceChanges {
  return { ...changes, created: changes.created.filter((path) => !OWN_FOLDERS.test(path)) }
}
