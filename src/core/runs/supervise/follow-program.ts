import type { Readable } from 'node:stream'
import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import { enforceTimeout } from './enforce-timeout.ts'
import { OutputMeter } from './output-meter.ts'
import type { Redactor } from '../redaction/redact.ts'

/** Takes a stream of a program piece by piece. */
type ChunkHandler = (stream: 'stdout' | 'stderr', chunk: Buffer) => Promise<void> | void

interface FollowOptions {
  wallMs: number
  outputBytes: number
  dropsOutput: boolean
  redactor: Redactor
  signal: AbortSignal | undefined
  onChunk: ChunkHandler
  /** Counts what was taken, as the program printed it. */
  received: { bytes: number }
}

/** What a program came to. */
export interface ProgramEnd {
  exit: SandboxExit
  stdoutBytes: number
  stderrBytes: number
  truncated: boolean
}

/** Reads all that a program prints until it is dead; enforces the limits that the host keeps. */
export async function followProgram(
  sandbox: SandboxProcess,
  followed: FollowOptions,
): Promise<ProgramEnd> {
  const { wallMs, signal } = followed
  const end = (why: EndReason) => sandbox.kill(why)
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

/** Answers with how much came, redacted or not, taken or not. */
async function readProgramStream(
  name: 'stdout' | 'stderr',
  source: Readable,
  { redactor, onChunk: take, meter, received }: FollowOptions & { meter: OutputMeter },
): Promise<number> {
  const redacting = redactor.stream()
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    const size = meter.take(chunk.length)
    const clean = size > 0 ? redacting.push(chunk.subarray(0, size)) : undefined
    if (clean && clean.length > 0) await take(name, clean)
    received.bytes += chunk.length
  }
  const rest = redacting.end()
  if (rest.length > 0) await take(name, rest)
  return bytes
}
