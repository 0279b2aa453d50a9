import type { AddFilesResult } from '../core/methods/workspace-add-files/definition.ts'
import { METHODS_BY_NAME } from '../core/methods/index.ts'
import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import type { Conversation } from './compose.ts'
import type { FileNotes } from './files/file-notes.ts'
import type { FileEntry, SessionFile, StagedSessionFile } from './files/session-file.ts'
import type { SendFiles, SessionFiles } from './files/session-files.ts'
import type { CallHost } from './host.ts'

/** Their code sees the files of the conversation. */
const CODE_METHODS: ReadonlySet<string> = new Set(['run_code', 'runtime.execute'])

/** True for tools that read the files of a conversation's workspace. */
function usesWorkspace({ name, callerParams }: Method): boolean {
  return callerParams?.includes('files') === true || name.startsWith('workspace_')
}

/** The workspace of a conversation, as one of its agents uses it. */
export class SessionWorkspace {
  readonly #files: SessionFiles
  readonly #callHost: CallHost
  /** False if no tool of the agent reads the workspace. */
  readonly #isUsed: boolean

  constructor(methods: Iterable<Method>, files: SessionFiles, callHost: CallHost) {
    this.#files = files
    this.#callHost = callHost
    this.#isUsed = [...methods].some(usesWorkspace)
  }

  /** Checks files now; they are copied with the next request or call. */
  rememberFiles(files: readonly SessionFile[]): FileEntry[] {
    if (this.#isUsed) return this.#files.add(files)
    throw new SkillsError('usage/invalid', 'No tool of this session can read files', {
      hint: "Create the session with the tools 'agent'",
    })
  }

  async addFiles(files: readonly SessionFile[]): Promise<StagedSessionFile[]> {
    return await this.#files.stage(this.rememberFiles(files), this.#sendFiles)
  }

  /**
   * Copies the files of messages. Without a tool that reads files, the model sees only what the
   * messages contain.
   */
  async stageFiles({ userFiles = new Map() }: Conversation): Promise<FileNotes> {
    if (!this.#isUsed) return { system: '', messages: new Map() }
    await this.#files.stageAdded(this.#sendFiles)
    const messages = await this.#files.stageMessages(userFiles, this.#sendFiles)
    return { system: this.#files.describeAdded(), messages }
  }

  /** Copies files again that a tool needs and the workspace has lost. */
  async prepareTool(method: Method): Promise<void> {
    const sees = usesWorkspace(method) || CODE_METHODS.has(method.name)
    if (this.#isUsed && sees) await this.#files.ensureStaged(this.#sendFiles)
  }

  #sendFiles: SendFiles = async (files) => {
    const method = METHODS_BY_NAME.get('workspace_add_files') as Method
    return ((await this.#callHost(method, { files })) as AddFilesResult).files
  }
}
