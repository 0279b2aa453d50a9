import type { Readable } from 'node:stream'
import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import { enforceTimeout } from './enforce-timeout.ts'
import { OutputMeter } from './output-meter.ts'
import type { Redactor } from '../redaction/redact.ts'

/** Receives a stream of a program in chunks. */
type ChunkHandler = (stream: 'stdout' | 'stderr', chunk: Buffer) => Promise<void> | void

interface FollowOptions {
  wallMs: number
  outputBytes: number
  dropsOutput: boolean
  redactor: Redactor
  signal: AbortSignal | undefined
  onChunk: ChunkHandler
  /** Counts received bytes before redaction. */
  received: { bytes: number }
}

/** End of a program. */
export interface ProgramEnd {
  exit: SandboxExit
  stdoutBytes: number
  stderrBytes: number
  truncated: boolean
}

/**
 * Reads all output of a program until its processes are dead, and enforces the limits of the host.
 */
export async function followProgram(
  sandbox: SandboxProcess,
  followed: FollowOptions,
): Promise<ProgramEnd> {
  const { wallMs, signal } = followed
  const end = (reason: EndReason) => sandbox.kill(reason)
  let truncated = false
  const meter = new OutputMeter(followed.outputBytes, () => {
    truncated = true
    if (!followed.dropsOutput) end('output')
  })
  sandbox.channel.resume()
  return await enforceTimeout(sandbox, { wallMs, signal, end }, async () => {
    const [stdoutBytes, stderrBytes, exit] = await Promise.all([
      readProgramStream('stdout', sandbox.stdout, { ...followed, meter }),
      readProgramStream('stderr', sandbox.stderr, { ...followed, meter }),
      sandbox.exited,
    ])
    return { exit, stdoutBytes, stderrBytes, truncated }
  })
}

/** Returns the total bytes, before redaction and truncation. */
async function readProgramStream(
  name: 'stdout' | 'stderr',
  source: Readable,
  { redactor, onChunk: take, meter, received }: FollowOptions & { meter: OutputMeter },
): Promise<number> {
  const redacting = redactor.stream()
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    const size = meter.consume(chunk.length)
    const clean = size > 0 ? redacting.push(chunk.subarray(0, size)) : undefined
    if (clean && clean.length > 0) await take(name, clean)
    received.bytes += chunk.length
  }
  const rest = redacting.end()
  if (rest.length > 0) await take(name, rest)
  return bytes
}
