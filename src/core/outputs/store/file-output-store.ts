import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { sweepLeftovers } from '../../../util/leftovers.ts'
import { withStoreErrors } from '../../storage/store-error.ts'
import { Sweeper } from '../../storage/sweep.ts'
import { openUsage, type Usage } from '../../storage/usage.ts'
import { FileOutputWriter, toStoredOutput } from './file-output-writer.ts'
import {
  parseOutputKey,
  outputDamagedError,
  outputExpiredError,
  deriveOutputKey,
  outputNotFoundError,
} from './handle.ts'
import {
  authorizeReader,
  getTombstonePath,
  getManifestPath,
  readManifest,
  getStreamPath,
  isOutputManifest,
  isOutputTombstone,
  type OutputManifest,
} from './manifest.ts'
import {
  type OpenOutput,
  type OutputFacts,
  type OutputOptions,
  type OutputReader,
  type OutputStore,
  type ReadableStream,
  type StreamName,
} from './output-store.ts'
import { MemberIndex } from './member-index.ts'
import { createBufferSource, createFileSource, createMemberStream } from './read-members.ts'
import {
  removeOutputFiles,
  measureOutput,
  sweepOutputs,
  type OutputLimits,
} from './sweep-outputs.ts'

/**
 * Outputs as files: `<dir>/<key>.json` and, for long streams, a gzip file for each stream next to
 * it. Sweeping unlinks files; readers that have opened them continue to read.
 */
export function openOutputStore(dir: string, limits: OutputLimits): OutputStore {
  return new FileOutputStore(dir, limits)
}

class FileOutputStore implements OutputStore {
  #dir: string
  #sweeper: Sweeper
  #limits: OutputLimits
  #usage: Usage
  #ready: Promise<void> | undefined

  constructor(dir: string, limits: OutputLimits) {
    this.#dir = dir
    this.#sweeper = new Sweeper(dir, async () => await this.sweep())
    this.#limits = limits
    this.#usage = openUsage(dir)
  }

  open(options: OutputOptions) {
    return new FileOutputWriter(options, {
      dir: this.#dir,
      maxBytes: this.#limits.maxOutputBytes,
      quotaBytes: this.#limits.quotaBytes,
      ttlMs: this.#limits.ttlMs,
      prepare: async () => await this.#prepare(),
      countUsage: async (bytes) => await this.#countUsage(bytes),
    })
  }

  async info(handleOrRun: string, reader: OutputReader) {
    return toStoredOutput(await this.#readManifest(handleOrRun, reader))
  }

  async read(handleOrRun: string, reader: OutputReader): Promise<OpenOutput> {
    const manifest = await this.#readManifest(handleOrRun, reader)
    const { handle, repo, language } = manifest
    const files: FileHandle[] = []
    const close = async () => void (await Promise.all(files.map((file) => file.close())))
    const openStream = async (name: StreamName): Promise<ReadableStream> => {
      const { inline, members, streams } = manifest
      let source = createBufferSource(Buffer.from(inline?.[name] ?? '', 'base64'))
      if (!inline && members[name].length > 0) {
        const file = await this.#openStream(handle, name)
        files.push(file)
        source = createFileSource(file)
      }
      const toError = (cause: unknown) => outputDamagedError(handle, cause)
      const index = new MemberIndex(Buffer.from(members[name], 'base64'))
      return createMemberStream({
        source,
        members: index,
        facts: streams[name],
        toDamagedError: toError,
      })
    }
    try {
      const streams = { stdout: await openStream('stdout'), stderr: await openStream('stderr') }
      return { handle, repo, language, about: toOutputFacts(manifest), streams, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  async content(handleOrRun: string, name: StreamName, reader: OutputReader): Promise<Readable> {
    const { handle, inline, members } = await this.#readManifest(handleOrRun, reader)
    if (members[name].length === 0) return Readable.from([], { objectMode: false })
    const stored = inline
      ? Readable.from([Buffer.from(inline[name], 'base64')], { objectMode: false })
      : (await this.#openStream(handle, name)).createReadStream()
    return stored.compose(createGunzip()) as Readable
  }

  async remove(runId: string): Promise<void> {
    const key = deriveOutputKey(runId)
    const bytes = measureOutput(this.#dir, key)
    if (bytes === 0) return
    await withStoreErrors(this.#dir, async () => await removeOutputFiles(this.#dir, key))
    this.#usage.subtract(bytes)
  }

  async sweep({ dryRun = false }: { dryRun?: boolean } = {}) {
    return await withStoreErrors(this.#dir, async () => {
      if (!dryRun) await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      return await sweepOutputs(this.#dir, this.#limits, dryRun)
    })
  }

  async #readManifest(handleOrRun: string, reader: OutputReader): Promise<OutputManifest> {
    const key = parseOutputKey(handleOrRun)
    const isRun = handleOrRun.startsWith('run_')
    const path = getManifestPath(this.#dir, key)
    const found = await readManifest(path, handleOrRun, isOutputManifest)
    const tombstone = getTombstonePath(this.#dir, key)
    const described = found ?? (await readManifest(tombstone, handleOrRun, isOutputTombstone))
    // A handle with another time or repository may end in the same key.
    if (!described || (!isRun && described.handle !== handleOrRun))
      throw outputNotFoundError(handleOrRun)
    authorizeReader(handleOrRun, described, reader)
    if (!found || Date.parse(found.createdAt) + this.#limits.ttlMs < Date.now()) {
      throw outputExpiredError(handleOrRun)
    }
    return found
  }

  /** The output may have been swept since its manifest was read. */
  async #openStream(handle: string, name: StreamName): Promise<FileHandle> {
    const path = getStreamPath(this.#dir, parseOutputKey(handle), name)
    return await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? outputExpiredError(handle) : outputDamagedError(handle, error)
    })
  }

  /** Runs before the first output of this process: removes leftovers of killed processes. */
  async #prepare(): Promise<void> {
    const drafts = join(this.#dir, '.drafts')
    this.#ready ??= withStoreErrors(this.#dir, async () => {
      await mkdir(drafts, { recursive: true, mode: 0o700 })
      await sweepLeftovers(drafts)
    })
    try {
      await this.#ready
    } catch (error) {
      this.#ready = undefined
      throw error
    }
    this.#sweeper.sweepIfDue()
  }

  /** Adds an output to the usage; sweeps if the quota is exceeded. */
  async #countUsage(bytes: number): Promise<void> {
    this.#usage.add(bytes)
    const used = this.#usage.read()
    if (used === undefined || used > this.#limits.quotaBytes) await this.sweep()
  }
}

function toOutputFacts({
  runId,
  status,
  exitCode,
  signal,
  ...manifest
}: OutputManifest): OutputFacts {
  const { createdAt, expiresAt, streams } = manifest
  const sha256 = { stdout: streams.stdout.sha256, stderr: streams.stderr.sha256 }
  return { runId, status, exitCode, signal, createdAt, expiresAt, sha256 }
}
