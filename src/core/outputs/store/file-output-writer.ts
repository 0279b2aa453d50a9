import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { createOwnName } from '../../../util/leftovers.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { toStoreError } from '../../storage/store-error.ts'
import { sealJson } from '../../../util/sealed-json.ts'
import { createHandle, deriveOutputKey } from './handle.ts'
import { getManifestPath, getStreamPath, type OutputManifest } from './manifest.ts'
import {
  STREAM_NAMES,
  type OutputNotKept,
  type OutputExit,
  type OutputOptions,
  type OutputWriter,
  type StoredOutput,
  type StreamName,
} from './output-store.ts'
import { MemberWriter } from './write-members.ts'

/** Streams whose total size is at most this are stored in the manifest. */
const INLINE_BYTES = 64 * 1024

/** Folder of the outputs, and their limits. */
interface OutputLocation {
  dir: string
  maxBytes: number
  ttlMs: number
  /** Called before the first file is written. */
  prepare(): Promise<void>
  /** Bytes of all outputs together. */
  quotaBytes: number
  /** Adds a published output to the usage and sweeps if necessary. */
  countUsage(bytes: number): Promise<void>
}

/** Writes under names that belong to this process; one rename makes the output visible. */
export class FileOutputWriter implements OutputWriter {
  readonly handle: string
  readonly stdout: MemberWriter
  readonly stderr: MemberWriter
  #options: OutputOptions
  #location: OutputLocation
  #key: string
  /** Folder of long streams; for short ones the manifest's draft file. */
  #draft: string
  #createdAt = Date.now()
  #stored = 0
  #hasDraft = false

  constructor(options: OutputOptions, location: OutputLocation) {
    this.#options = options
    this.#location = location
    this.#key = deriveOutputKey(options.runId)
    this.handle = createHandle(this.#key, options.repo, this.#createdAt)
    this.#draft = join(location.dir, '.drafts', createOwnName())
    const createWriter = (name: StreamName) =>
      new MemberWriter(
        async () => await this.#openFile(name),
        (bytes) => this.#countStored(bytes),
      )
    this.stdout = createWriter('stdout')
    this.stderr = createWriter('stderr')
  }

  async finish(end: OutputExit): Promise<StoredOutput | OutputNotKept> {
    try {
      await this.#location.prepare()
      const manifest = await this.#buildManifest(end)
      await this.#publish(manifest)
      return toStoredOutput(manifest)
    } catch (error) {
      return toNotKept(toStoreError(error, this.#location.dir))
    } finally {
      await this.abort()
    }
  }

  async abort(): Promise<void> {
    for (const name of STREAM_NAMES) {
      this[name].fail(new Error('the output was aborted'))
      await this[name].close().catch(() => {})
    }
    if (!this.#hasDraft) return
    try {
      rmSync(this.#draft, { recursive: true, force: true })
    } catch {
      // If nothing could be written, there is nothing to remove.
    }
  }

  async #openFile(name: StreamName) {
    await this.#location.prepare()
    this.#hasDraft = true
    await mkdir(this.#draft, { recursive: true, mode: 0o700 })
    return await open(join(this.#draft, name), 'wx', 0o600)
  }

  /** Stops both streams once the output exceeds its limit. */
  #countStored(bytes: number): void {
    this.#stored += bytes
    const { maxBytes } = this.#location
    if (this.#stored <= maxBytes) return
    const limit = formatBytes(maxBytes)
    const problem = new OutputTooLargeError(
      'too-large',
      `The run's output is larger than ${limit} compressed`,
    )
    for (const name of STREAM_NAMES) this[name].fail(problem)
  }

  async #buildManifest(end: OutputExit): Promise<OutputManifest> {
    const isShort = this.stdout.bytes + this.stderr.bytes <= INLINE_BYTES
    const inline = { stdout: '', stderr: '' }
    for (const name of STREAM_NAMES) {
      if (isShort) inline[name] = (await this[name].finishInline()).toString('base64')
      else await this[name].end()
    }
    const [stdout, stderr] = [this.stdout.facts(), this.stderr.facts()]
    const { runId, repo, owner, language } = this.#options
    return {
      handle: this.handle,
      runId,
      repo: repo ?? null,
      owner: owner ?? null,
      language: language ?? null,
      createdAt: new Date(this.#createdAt).toISOString(),
      expiresAt: new Date(this.#createdAt + this.#location.ttlMs).toISOString(),
      status: end.status,
      exitCode: end.exitCode,
      signal: end.signal,
      streams: { stdout: stdout.stream, stderr: stderr.stream },
      members: { stdout: stdout.members, stderr: stderr.members },
      ...(isShort && { inline }),
    }
  }

  /** Publishes the streams first: readers of the manifest expect them. */
  async #publish(manifest: OutputManifest): Promise<void> {
    const { dir, quotaBytes } = this.#location
    const text = sealJson(manifest)
    const bytes = (manifest.inline ? 0 : this.#stored) + Buffer.byteLength(text)
    if (bytes > quotaBytes) {
      const limit = formatBytes(quotaBytes)
      throw new OutputTooLargeError(
        'quota',
        `The output is larger than the quota of ${limit} for all outputs`,
      )
    }
    const draft = this.#hasDraft ? join(this.#draft, 'manifest') : this.#draft
    this.#hasDraft = true
    // The folder of a store in use may have been removed.
    mkdirSync(dirname(draft), { recursive: true, mode: 0o700 })
    await writeSynced(draft, text)
    for (const name of STREAM_NAMES) {
      if (manifest.inline || manifest.members[name].length === 0) continue
      renameSync(join(this.#draft, name), getStreamPath(dir, this.#key, name))
    }
    renameSync(draft, getManifestPath(dir, this.#key))
    if (draft === this.#draft) this.#hasDraft = false
    await syncFolder(dir)
    // The next sweep corrects the usage if counting fails.
    await this.#location.countUsage(bytes).catch(() => {})
  }
}

/** The public part of a manifest. */
export function toStoredOutput(manifest: OutputManifest): StoredOutput {
  const { members: _, inline: __, ...output } = manifest
  return output
}

/** Thrown if an output exceeds a limit. */
class OutputTooLargeError extends Error {
  readonly notKept: 'too-large' | 'quota'

  constructor(notKept: 'too-large' | 'quota', message: string) {
    super(message)
    this.notKept = notKept
  }
}

function toNotKept(error: unknown): OutputNotKept {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof OutputTooLargeError) return { notKept: error.notKept, message }
  const isFull = error instanceof SkillsError && error.code === 'store/full'
  return { notKept: isFull ? 'disk-full' : 'unavailable', message }
}
