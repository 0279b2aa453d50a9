// A sandbox backend of deepagents, for agents of LangChain and LangGraph: createDeepAgent({ model, backend }).
import {
  BaseSandbox,
  type ExecuteResponse,
  type FileDownloadResponse,
  type FileUploadResponse,
} from 'deepagents'
import { ROOT, type Workspace } from './workspace.ts'

export class SkillsBackend extends BaseSandbox {
  readonly id: string
  #workspace: Workspace

  constructor(workspace: Workspace) {
    super()
    this.#workspace = workspace
    this.id = workspace.id
  }

  override async execute(command: string): Promise<ExecuteResponse> {
    const { stdout, stderr, exitCode, isComplete } = await this.#workspace.exec(command)
    return { output: stdout + stderr, exitCode, truncated: !isComplete }
  }

  override async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    return await Promise.all(
      files.map(async ([path, content]): Promise<FileUploadResponse> => {
        if (!isBelowRoot(path)) return { path, error: 'invalid_path' }
        const written = this.#workspace.writeFile(path, content)
        return {
          path,
          error: await written.then(
            () => null,
            () => 'permission_denied' as const,
          ),
        }
      }),
    )
  }

  override async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    return await Promise.all(
      paths.map(async (path): Promise<FileDownloadResponse> => {
        if (!isBelowRoot(path)) return { path, content: null, error: 'invalid_path' }
        const read = this.#workspace.readFile(path)
        return await read.then(
          (content) => ({ path, content, error: null }),
          () => ({ path, content: null, error: 'file_not_found' as const }),
        )
      }),
    )
  }
}

function isBelowRoot(path: string): boolean {
  return path.startsWith(`${ROOT}/`) && !path.split('/').includes('..')
}
