import { Readable } from 'node:stream'
import { toSkillsError } from '../../../errors.ts'
import type { OutputSources } from './open-output.ts'
import { STREAM_NAMES } from './output-store.ts'

/**
 * Opens all logs of a run. The record of a program holds the beginning of its output; if that is
 * incomplete, both streams are read from the output store, stdout first.
 */
export async function openRunLogs(sources: OutputSources, id: string): Promise<Readable> {
  const runs = await sources.runs()
  const { kind, logs } = await runs.get(id)
  const isProgram = kind === 'execute' || kind === 'workspace'
  if (!isProgram || logs.kept_bytes === logs.size_bytes) return await runs.logs(id)
  const outputs = await sources.outputs()
  try {
    const user = { caller: undefined }
    const streams = STREAM_NAMES.map(async (name) => await outputs.content(id, name, user))
    return Readable.from(concatStreams(await Promise.all(streams)), { objectMode: false })
  } catch (error) {
    const { code } = toSkillsError(error)
    if (code === 'output/not-found' || code === 'output/expired') return await runs.logs(id)
    throw error
  }
}

async function* concatStreams(streams: readonly Readable[]): AsyncGenerator<Buffer> {
  for (const stream of streams) yield* stream as AsyncIterable<Buffer>
}
