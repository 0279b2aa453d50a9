import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { outputDamagedError } from '../../core/outputs/store/handle.ts'
import { MemberIndex } from '../../core/outputs/store/member-index.ts'
import type {
  OpenOutput,
  OutputFacts,
  ReadableStream,
  StreamName,
} from '../../core/outputs/store/output-store.ts'
import { createBufferSource, createMemberStream } from '../../core/outputs/store/read-members.ts'
import {
  ObjectDamagedError,
  ObjectMissingError,
  type ObjectRef,
  type Objects,
} from '../objects/objects.ts'
import type { OutputEntry } from './output-entry.ts'

/** Opens an output; chunks are read when they are needed. */
export async function openFleetOutput(objects: Objects, entry: OutputEntry): Promise<OpenOutput> {
  const { handle, repo, language, inline, streams } = entry
  const members = await readMemberIndexes(objects, entry)
  const openStream = (name: StreamName): ReadableStream => {
    const ref = entry.objects[name]
    const source = ref
      ? createObjectSource(objects, ref, handle)
      : createBufferSource(Buffer.from(inline?.[name] ?? '', 'base64'))
    return createMemberStream({
      source,
      members: new MemberIndex(Buffer.from(members[name], 'base64')),
      facts: streams[name],
      toDamagedError: (cause) => outputDamagedError(handle, cause),
    })
  }
  return {
    handle,
    repo,
    language,
    about: toOutputFacts(entry),
    streams: { stdout: openStream('stdout'), stderr: openStream('stderr') },
    close: async () => {},
  }
}

/** All bytes of one stream. */
export function readOutputContent(
  objects: Objects,
  entry: OutputEntry,
  name: StreamName,
): Readable {
  const ref = entry.objects[name]
  const inline = Buffer.from(entry.inline?.[name] ?? '', 'base64')
  if (!ref && inline.length === 0) return Readable.from([], { objectMode: false })
  const stored = ref ? objects.read(ref) : Readable.from([inline], { objectMode: false })
  const content = stored.compose(createGunzip()) as Readable
  return Readable.from(explainDamage(content, entry.handle), { objectMode: false })
}

async function* explainDamage(content: Readable, handle: string): AsyncGenerator<Buffer> {
  try {
    yield* content as AsyncIterable<Buffer>
  } catch (error) {
    throw toOutputError(error, handle)
  }
}

function createObjectSource(objects: Objects, ref: ObjectRef, handle: string) {
  const reader = objects.reader(ref)
  return {
    async read(into: Buffer, from: number): Promise<number> {
      try {
        return await reader.read(into, from)
      } catch (error) {
        throw toOutputError(error, handle)
      }
    },
  }
}

async function readMemberIndexes(
  objects: Objects,
  { handle, index, members }: OutputEntry,
): Promise<OutputEntry['members']> {
  if (!index) return members
  try {
    return JSON.parse((await objects.readAll(index)).toString()) as OutputEntry['members']
  } catch (error) {
    throw toOutputError(error, handle)
  }
}

/** Errors of the content mean damage; those of the engine are returned unchanged. */
function toOutputError(error: unknown, handle: string): unknown {
  const isDamaged = error instanceof ObjectMissingError || error instanceof ObjectDamagedError
  const { code } = error as NodeJS.ErrnoException
  const isGzip = typeof code === 'string' && code.startsWith('Z_')
  return isDamaged || isGzip || error instanceof SyntaxError
    ? outputDamagedError(handle, error)
    : error
}

function toOutputFacts(entry: OutputEntry): OutputFacts {
  const { runId, status, exitCode, signal, createdAt, expiresAt, streams } = entry
  const sha256 = { stdout: streams.stdout.sha256, stderr: streams.stderr.sha256 }
  return { runId, status, exitCode, signal, createdAt, expiresAt, sha256 }
}
