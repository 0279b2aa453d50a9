import { formatBytes } from '../../../util/quantity.ts'
import { getExtension } from '../../../util/mime.ts'
import type {
  AddFilesParams,
  AddFilesResult,
} from '../../methods/workspace-add-files/definition.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { measureFolder } from '../../sandbox/rootfs/measure-folder.ts'
import type { Services } from '../../services.ts'
import { getWorkspaceKey, stageFiles } from '../commands/skill-command.ts'
import type { Workspace } from '../workspace.ts'
import type { ConversationFile } from './stage-files.ts'

type AddedFile = AddFilesResult['files'][number]

/** Copies files of a conversation into work/inputs before any command asks for them. */
export async function addFilesToWorkspace(
  services: Services,
  { session, files }: AddFilesParams,
  call: RunCall,
): Promise<AddFilesResult> {
  const workspaces = await services.workspaces()
  return await workspaces.use(getWorkspaceKey(session, call), call, async (workspace) => {
    return await workspace.runInTurn('staging', async () => {
      const added: AddedFile[] = []
      for (const [index, file] of files.entries()) {
        added.push(await addFile(services, workspace, { file, number: index + 1 }))
      }
      return { files: added }
    })
  })
}

async function addFile(
  services: Services,
  workspace: Workspace,
  { file, number }: { file: ConversationFile; number: number },
): Promise<AddedFile> {
  const problem = await findSizeProblem(services, workspace, file)
  if (problem !== undefined) return { problem }
  const isNamed = file.name !== undefined || file.file_id?.startsWith('artifact://') === true
  const name = isNamed ? addExtension(file) : createUploadName(file, number)
  const { staged, warnings } = await stageFiles(services, workspace, [{ ...file, name }])
  const [first] = staged
  if (!first) return { problem: warnings.join(', ').replace(/^user file input: /, '') }
  return {
    path: first.name,
    ...(file.name !== undefined && { original_name: file.name }),
    mime_type: first.mime_type,
    size_bytes: first.size_bytes,
  }
}

/** The extension tells programs the kind of a file that has no name. */
function createUploadName({ mime_type: mime }: ConversationFile, number: number): string {
  const extension = mime === undefined ? '' : getExtension(mime)
  return `upload_${number}${extension === '.bin' ? '' : extension}`
}

/** Documents and images often have a title instead of a file name. */
function addExtension({ name, mime_type: mime = '' }: ConversationFile): string | undefined {
  const extension = getExtension(mime)
  const isText = mime.startsWith('text/')
  if (name === undefined || isText || extension === '.bin' || /\.\w{1,8}$/.test(name)) return name
  return `${name}${extension}`
}

/** The files of a session together may have the size of a workspace. */
async function findSizeProblem(
  { config }: Services,
  workspace: Workspace,
  { data }: ConversationFile,
): Promise<string | undefined> {
  if (data === undefined) return undefined
  const limit = config.run.limits.workspaceBytes
  const room = limit - Buffer.byteLength(data, 'base64')
  const size =
    room < 0
      ? { bytes: 0 }
      : await measureFolder(workspace.root, { bytes: room, entries: Infinity })
  if (size.bytes <= room) return undefined
  return `the workspace would exceed ${formatBytes(limit)}`
}
