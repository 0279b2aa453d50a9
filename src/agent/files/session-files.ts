import type {
  AddFilesParams,
  AddFilesResult,
} from '../../core/methods/workspace-add-files/definition.ts'
import type { StagedFileState } from '../../core/skill-context/session-state.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { downloadFile, type FileDownloader } from './download-file.ts'
import { describeStagedFiles } from './file-notes.ts'
import {
  checkSessionFile,
  hashContent,
  invalidFileError,
  MAX_FILES,
  MAX_TOTAL_BYTES,
  type CheckedFile,
  type FileEntry,
  type SessionFile,
  type StagedSessionFile,
} from './session-file.ts'

/** Sends files to the workspace of the conversation. */
export type SendFiles = (files: AddFilesParams['files']) => Promise<AddFilesResult['files']>

/** Base64 of one call; a remote runtime limits the size of a request. */
const MAX_BATCH_BYTES = 16 * 1024 ** 2

/** The files of one conversation. All agents of the conversation share them. */
export class SessionFiles {
  readonly #entries = new Map<string, FileEntry>()
  readonly #downloader: FileDownloader | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(downloader: FileDownloader | undefined, earlier: readonly StagedFileState[] = []) {
    this.#downloader = downloader
    for (const { key, id, name, ...staged } of earlier) {
      const file = { key, name, mimeType: staged.mimeType, source: { stored: id } }
      this.#entries.set(key, { file, isAdded: true, content: { id }, staged })
    }
  }

  /** Files in the workspace, in the order in which they came. */
  get staged(): StagedSessionFile[] {
    return [...this.#entries.values()].flatMap(({ staged }) => (staged ? { ...staged } : []))
  }

  /** The copies of the program's files, for the next session of the conversation. */
  get state(): StagedFileState[] {
    return [...this.#entries.values()].flatMap(({ isAdded, file, content, staged }) =>
      isAdded && staged && content
        ? {
            key: file.key,
            id: content.id,
            ...(file.name !== undefined && { name: file.name }),
            ...staged,
          }
        : [],
    )
  }

  get problems(): string[] {
    return [...this.#entries.values()].flatMap(({ problem }) => problem ?? [])
  }

  /** Checks files and remembers them; throws if one of them is invalid. */
  add(files: readonly SessionFile[]): FileEntry[] {
    const checked = files.map(checkSessionFile)
    return checked.map((file) => this.#remember(file, true))
  }

  /** Copies files into the workspace, and throws if one of them could not be copied. */
  async stage(entries: readonly FileEntry[], send: SendFiles): Promise<StagedSessionFile[]> {
    await this.#runInOrder(async () => {
      await this.#synchronize(entries, send)
    })
    const failed = entries.filter(({ staged }) => !staged)
    for (const { file } of failed) this.#entries.delete(file.key)
    return entries.map(({ staged, problem }) => {
      if (staged) return { ...staged }
      throw new SkillsError('file/unreadable', `A file could not be added: ${problem}`)
    })
  }

  /** Copies the files of messages; returns a note about them for each message. */
  async stageMessages(
    messages: ReadonlyMap<number, readonly SessionFile[]>,
    send: SendFiles,
  ): Promise<Map<number, string>> {
    return await this.#runInOrder(async () => {
      const found = [...messages].map(
        ([at, files]) => [at, files.map((file) => this.#rememberFromMessage(file))] as const,
      )
      await this.#synchronize(
        found.flatMap(([, entries]) => entries),
        send,
      )
      const described = found.filter(([, entries]) => entries.length > 0)
      return new Map(
        described.map(([at, entries]) => [at, describeStagedFiles(entries, 'this message')]),
      )
    })
  }

  /** Copies the program's files that are not in the workspace yet. */
  async stageAdded(send: SendFiles): Promise<void> {
    if (![...this.#entries.values()].some(isPending)) return
    await this.#runInOrder(async () => {
      await this.#synchronize([...this.#entries.values()].filter(isPending), send)
    })
  }

  /** Note about the files of the program; empty if there are none. */
  describeAdded(): string {
    const added = [...this.#entries.values()].filter(({ isAdded }) => isAdded)
    return added.length === 0 ? '' : describeStagedFiles(added, 'the conversation')
  }

  /** Copies files again that the workspace has lost, and new ones for the first time. */
  async ensureStaged(send: SendFiles): Promise<void> {
    if (this.#entries.size === 0) return
    await this.#runInOrder(async () => {
      const entries = [...this.#entries.values()].filter(({ problem }) => problem === undefined)
      await this.#copy(entries, send)
    })
  }

  /** Lets files that failed be tried again. */
  forgetProblems(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.problem === undefined) continue
      if (entry.isAdded) delete entry.problem
      else this.#entries.delete(key)
    }
  }

  #rememberFromMessage(file: SessionFile): FileEntry {
    try {
      return this.#remember(checkSessionFile(file), false)
    } catch (thrown) {
      const problem = toSkillsError(thrown).message
      const key = `invalid:${problem}`
      const entry: FileEntry = {
        file: { key, name: file.name, mimeType: file.mimeType, source: { stored: key } },
        isAdded: false,
        problem,
      }
      if (this.#entries.size < MAX_FILES) this.#entries.set(key, entry)
      return entry
    }
  }

  #remember(file: CheckedFile, isAdded: boolean): FileEntry {
    const known = this.#entries.get(file.key)
    if (known) {
      known.isAdded ||= isAdded
      known.file = { ...known.file, name: known.file.name ?? file.name }
      // A file of an earlier process has no content until it is added again.
      if (known.content && !known.content.bytes && 'bytes' in file.source) {
        known.file = file
        delete known.problem
        known.content.bytes = file.source.bytes
      }
      return known
    }
    if (this.#entries.size >= MAX_FILES) {
      throw invalidFileError(file.name, `a conversation has at most ${MAX_FILES} files`)
    }
    const entry: FileEntry = { file, isAdded }
    if ('bytes' in file.source) this.#setContent(entry, file.source.bytes)
    this.#entries.set(file.key, entry)
    return entry
  }

  #setContent(entry: FileEntry, bytes: Uint8Array): void {
    const sizes = [...this.#entries.values()].map(({ content }) => content?.bytes?.byteLength ?? 0)
    const total = sizes.reduce((sum, size) => sum + size, bytes.byteLength)
    if (total > MAX_TOTAL_BYTES) {
      const limit = formatBytes(MAX_TOTAL_BYTES)
      throw invalidFileError(entry.file.name, `the files of a conversation have at most ${limit}`)
    }
    entry.content = { id: hashContent(bytes), bytes }
  }

  /** Downloads and copies what is missing. A failure is the problem of one file. */
  async #synchronize(entries: readonly FileEntry[], send: SendFiles): Promise<void> {
    const missing = [...new Set(entries)].filter(({ staged, problem }) => !staged && !problem)
    for (const entry of missing) await this.#findContent(entry)
    await this.#copy(
      missing.filter(({ problem }) => problem === undefined),
      send,
    )
  }

  async #copy(entries: readonly FileEntry[], send: SendFiles): Promise<void> {
    // Asks first: the workspace may have the files from before a restart.
    const absent = await sendFiles(entries, send, false)
    for (const batch of splitIntoBatches(absent.filter(({ content }) => content?.bytes))) {
      for (const entry of batch) delete entry.problem
      await sendFiles(batch, send, true)
    }
  }

  async #findContent(entry: FileEntry): Promise<void> {
    const { source, name, mimeType } = entry.file
    if (entry.content) return
    if ('stored' in source) {
      entry.content = { id: source.stored }
      return
    }
    if ('bytes' in source) return this.#setContent(entry, source.bytes)
    try {
      if (!this.#downloader) {
        throw new SkillsError('usage/invalid', 'the session has no downloader', {
          hint: 'Pass downloader to createAgentSession',
        })
      }
      const known = {
        ...(name !== undefined && { name }),
        ...(mimeType !== undefined && { mimeType }),
      }
      const found = await downloadFile(this.#downloader, { ...source, ...known })
      this.#setContent(entry, found.bytes)
      entry.file = {
        ...entry.file,
        name: name ?? found.name ?? ('url' in source ? readUrlName(source.url) : undefined),
        mimeType: mimeType ?? found.mimeType,
      }
    } catch (thrown) {
      entry.problem = summarizeFileError(thrown)
    }
  }

  async #runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn.catch(() => {})
    return await turn
  }
}

function isPending({ isAdded, staged, problem }: FileEntry): boolean {
  return isAdded && !staged && problem === undefined
}

/** Sends files with or without their content; returns those that are not in the workspace. */
async function sendFiles(
  entries: readonly FileEntry[],
  send: SendFiles,
  hasContent: boolean,
): Promise<FileEntry[]> {
  if (entries.length === 0) return []
  const files = entries.map(({ file: { name, mimeType }, content }) => ({
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(content && { file_id: content.id }),
    ...(hasContent && content?.bytes && { data: Buffer.from(content.bytes).toString('base64') }),
  }))
  let results: AddFilesResult['files']
  try {
    results = await send(files)
  } catch (thrown) {
    // Copies that were made before are still valid.
    for (const entry of entries) if (!entry.staged) entry.problem = summarizeFileError(thrown)
    return []
  }
  for (const [index, entry] of entries.entries()) applyResult(entry, results[index])
  return entries.filter(({ staged }) => !staged)
}

function applyResult(entry: FileEntry, result: AddFilesResult['files'][number] | undefined): void {
  if (result?.path === undefined) {
    delete entry.staged
    entry.problem = result?.problem ?? 'the runtime did not copy it'
    return
  }
  delete entry.problem
  entry.staged = {
    path: result.path,
    ...(entry.file.name !== undefined && { originalName: entry.file.name }),
    mimeType: result.mime_type ?? 'application/octet-stream',
    sizeBytes: result.size_bytes ?? 0,
  }
}

function splitIntoBatches(entries: readonly FileEntry[]): FileEntry[][] {
  const batches: FileEntry[][] = []
  let room = 0
  for (const entry of entries) {
    const size = (entry.content?.bytes?.byteLength ?? 0) * (4 / 3)
    if (size > room || batches.length === 0) {
      batches.push([])
      room = MAX_BATCH_BYTES
    }
    batches.at(-1)?.push(entry)
    room -= size
  }
  return batches
}

/** Last part of the path of an address. */
function readUrlName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return last === '' ? undefined : decodeURIComponent(last)
  } catch {
    return last
  }
}

function summarizeFileError(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return (text.split('\n')[0] ?? '').slice(0, 300)
}
