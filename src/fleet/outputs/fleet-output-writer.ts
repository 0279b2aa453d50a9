import { toStoredOutput } from '../../core/outputs/store/file-output-writer.ts'
import { createHandle, deriveOutputKey } from '../../core/outputs/store/handle.ts'
import {
  STREAM_NAMES,
  type OutputExit,
  type OutputNotKept,
  type OutputOptions,
  type OutputWriter,
  type StoredOutput,
  type StreamName,
} from '../../core/outputs/store/output-store.ts'
import type { OutputLimits } from '../../core/outputs/store/sweep-outputs.ts'
import { MemberWriter } from '../../core/outputs/store/write-members.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Engine } from '../engine/engine.ts'
import { encodeEntry } from '../objects/entries.ts'
import type { ObjectRef, Objects, ObjectWriter } from '../objects/objects.ts'
import { listOutputObjects, nameOutputEntry, toManifest, type OutputEntry } from './output-entry.ts'
import type { FileHandle } from 'node:fs/promises'

/** Streams whose total size is at most this are stored in the entry. */
const INLINE_BYTES = 64 * 1024
/** Member indexes that are longer are stored as an object: an entry has at most 1 MB. */
const MAX_INDEX_LENGTH = 64 * 1024

/** Parts of a store that its writers share. */
export interface OutputWriterContext {
  engine: Engine
  objects: Objects
  limits: OutputLimits
  /** Adds a published output to the usage. */
  countUsage: (bytes: number) => void
}

/** Writes gzip members as objects; an entry that is stored last makes the output visible. */
export class FleetOutputWriter implements OutputWriter {
  readonly handle: string
  readonly stdout: MemberWriter
  readonly stderr: MemberWriter
  #options: OutputOptions
  #context: OutputWriterContext
  #key: string
  #createdAt = Date.now()
  #stored = 0
  #files: Partial<Record<StreamName, ObjectFile>> = {}
  #index: ObjectRef | undefined
  /** True if the entry is stored, or may be: the objects must remain. */
  #mayBeVisible = false

  constructor(options: OutputOptions, context: OutputWriterContext) {
    this.#options = options
    this.#context = context
    this.#key = deriveOutputKey(options.runId)
    this.handle = createHandle(this.#key, options.repo, this.#createdAt)
    const createWriter = (name: StreamName) =>
      new MemberWriter(
        async () => {
          const file = new ObjectFile(context.objects.writer())
          this.#files[name] = file
          return file.toHandle()
        },
        (bytes) => this.#countStored(bytes),
      )
    this.stdout = createWriter('stdout')
    this.stderr = createWriter('stderr')
  }

  async finish(end: OutputExit): Promise<StoredOutput | OutputNotKept> {
    try {
      const entry = await this.#buildEntry(end)
      await this.#publish(entry)
      return toStoredOutput(toManifest(entry))
    } catch (error) {
      return toNotKept(error)
    } finally {
      await this.abort()
    }
  }

  async abort(): Promise<void> {
    for (const name of STREAM_NAMES) {
      this[name].fail(new Error('the output was aborted'))
      await this[name].close().catch(() => {})
    }
    if (this.#mayBeVisible) return
    for (const name of STREAM_NAMES) await this.#files[name]?.remove()
    if (this.#index) await this.#context.objects.remove(this.#index).catch(() => {})
    this.#index = undefined
  }

  /** Stops both streams once the output exceeds its limit. */
  #countStored(bytes: number): void {
    this.#stored += bytes
    const { maxOutputBytes } = this.#context.limits
    if (this.#stored <= maxOutputBytes) return
    const limit = formatBytes(maxOutputBytes)
    const problem = new FleetOutputTooLargeError(
      'too-large',
      `The run's output is larger than ${limit} compressed`,
    )
    for (const name of STREAM_NAMES) this[name].fail(problem)
  }

  async #buildEntry(end: OutputExit): Promise<OutputEntry> {
    const isShort = this.stdout.bytes + this.stderr.bytes <= INLINE_BYTES
    const inline = { stdout: '', stderr: '' }
    const objects: OutputEntry['objects'] = {}
    for (const name of STREAM_NAMES) {
      if (isShort) inline[name] = (await this[name].finishInline()).toString('base64')
      else await this[name].end()
      const ref = this.#files[name]?.ref
      if (ref) objects[name] = ref
    }
    const { members, streams } = await this.#describeStreams()
    const { runId, repo, owner, language } = this.#options
    const entry = {
      handle: this.handle,
      runId,
      repo: repo ?? null,
      owner: owner ?? null,
      language: language ?? null,
      createdAt: new Date(this.#createdAt).toISOString(),
      expiresAt: new Date(this.#createdAt + this.#context.limits.ttlMs).toISOString(),
      status: end.status,
      exitCode: end.exitCode,
      signal: end.signal,
      streams,
      members,
      ...(isShort && { inline }),
      objects,
      ...(this.#index && { index: this.#index }),
    }
    return { ...entry, uploads: listOutputObjects(entry).map(({ upload }) => upload) }
  }

  async #describeStreams(): Promise<Pick<OutputEntry, 'members' | 'streams'>> {
    const [stdout, stderr] = [this.stdout.facts(), this.stderr.facts()]
    const streams = { stdout: stdout.stream, stderr: stderr.stream }
    const members = { stdout: stdout.members, stderr: stderr.members }
    if (members.stdout.length + members.stderr.length <= MAX_INDEX_LENGTH) {
      return { streams, members }
    }
    this.#index = await this.#context.objects.write(Buffer.from(JSON.stringify(members)))
    return { streams, members: { stdout: '', stderr: '' } }
  }

  async #publish(entry: OutputEntry): Promise<void> {
    const { engine, limits, countUsage } = this.#context
    const text = encodeEntry(entry)
    const bytes = (entry.inline ? 0 : this.#stored) + Buffer.byteLength(text)
    if (bytes > limits.quotaBytes) {
      const limit = formatBytes(limits.quotaBytes)
      throw new FleetOutputTooLargeError(
        'quota',
        `The output is larger than the quota of ${limit} for all outputs`,
      )
    }
    // The result of a write that was not answered is unknown: its objects are left to the sweep.
    this.#mayBeVisible = true
    try {
      const { isCreated } = await engine.create('data', nameOutputEntry(this.#key), text)
      this.#mayBeVisible = isCreated
    } catch (error) {
      if (isFull(error)) this.#mayBeVisible = false
      throw error
    }
    if (!this.#mayBeVisible) throw new Error('The output of this run is stored already')
    countUsage(bytes)
  }
}

/** Thrown if an output exceeds a limit. */
class FleetOutputTooLargeError extends Error {
  readonly notKept: 'too-large' | 'quota'

  constructor(notKept: 'too-large' | 'quota', message: string) {
    super(message)
    this.notKept = notKept
  }
}

function isFull(error: unknown): boolean {
  return error instanceof SkillsError && error.code === 'store/full'
}

function toNotKept(error: unknown): OutputNotKept {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof FleetOutputTooLargeError) return { notKept: error.notKept, message }
  return { notKept: isFull(error) ? 'disk-full' : 'unavailable', message }
}

/** An object in the place of a file that is only appended to. */
class ObjectFile {
  #writer: ObjectWriter
  #ref: ObjectRef | undefined

  constructor(writer: ObjectWriter) {
    this.#writer = writer
  }

  /** The object; undefined unless it is complete. */
  get ref(): ObjectRef | undefined {
    return this.#ref
  }

  /** The methods that `MemberWriter` calls: it writes the rest of a buffer, syncs once, and closes. */
  toHandle(): FileHandle {
    const handle = {
      write: async (bytes: Buffer, offset = 0) => {
        await this.#writer.write(bytes.subarray(offset))
        return { bytesWritten: bytes.length - offset, buffer: bytes }
      },
      sync: async () => {
        this.#ref = await this.#writer.close()
      },
      close: async () => {
        if (!this.#ref) await this.#writer.abort()
      },
    }
    return handle as unknown as FileHandle
  }

  /** Removes the object, complete or not. */
  async remove(): Promise<void> {
    this.#ref = undefined
    await this.#writer.abort()
  }
}
