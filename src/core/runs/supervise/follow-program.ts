import type { Readable } from 'node:stream'
import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import { holdToTime } from './hold-to-time.ts'
import { OutputMeter } from './output-meter.ts'
import type { Redactor } from '../redaction/redact.ts'

/** Takes a stream of a program piece by piece. */
type Take = (stream: 'stdout' | 'stderr', chunk: Buffer) => Promise<void> | void

interface FollowedProgram {
  wallMs: number
  outputBytes: number
  dropsOutput: boolean
  redactor: Redactor
  signal: AbortSignal | undefined
  take: Take
  /** Counts what was taken, as the program printed it. */
  received: { bytes: number }
}

/** What a program came to. */
export interface ProgramEnding {
  exit: SandboxExit
  stdoutBytes: number
  stderrBytes: number
  truncated: boolean
}

/** Reads all that a program prints until it is dead; enforces the limits that the host keeps. */
export async function followProgram(
  sandbox: SandboxProcess,
  followed: FollowedProgram,
): Promise<ProgramEnding> {
  const { wallMs, signal } = followed
  const end = (why: EndReason) => sandbox.kill(why)
  let truncated = false
  const meter = new OutputMeter(followed.outputBytes, () => {
    truncated = true
    if (!followed.dropsOutput) end('output')
  })
  sandbox.channel.resume()
  return await holdToTime(sandbox, { wallMs, signal, end }, async () => {
    const [stdoutBytes, stderrBytes, exit] = await Promise.all([
      readStream('stdout', sandbox.stdout, { ...followed, meter }),
      readStream('stderr', sandbox.stderr, { ...followed, meter }),
      sandbox.exited,
    ])
    return { exit, stdoutBytes, stderrBytes, truncated }
  })
}

/** Answers with how much came, redacted or not, taken or not. */
async function readStream(
  name: 'stdout' | 'stderr',
  source: Readable,
  { redactor, take, meter, received }: FollowedProgram & { meter: OutputMeter },
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
