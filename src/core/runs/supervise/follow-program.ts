import type { Readable } from 'node:stream'
import { STREAM_NAMES, type StreamName } from '../../outputs/store/output-store.ts'
import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import { enforceTimeout } from './enforce-timeout.ts'
import { GracefulEnd } from './graceful-end.ts'
import { OutputMeter } from './output-meter.ts'
import { OutputShares, sumOmitted } from './output-shares.ts'
import type { Redactor } from '../redaction/redact.ts'

/** Receives a stream of a program in chunks. */
type ChunkHandler = (stream: StreamName, chunk: Buffer) => Promise<void> | void

interface FollowOptions {
  wallMs: number
  /** Time from SIGTERM to SIGKILL at the timeout and at a cancellation; 0 for none. */
  graceMs: number
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
  /** Bytes that were dropped because of the limit. */
  omitted: Readonly<Record<StreamName, number>>
}

/**
 * Reads all output of a program until its processes are dead, and enforces the limits of the host.
 */
export async function followProgram(
  sandbox: SandboxProcess,
  followed: FollowOptions,
): Promise<ProgramEnd> {
  const { wallMs, signal, onChunk } = followed
  const ending = new GracefulEnd(sandbox, followed.graceMs)
  const end = (reason: EndReason) => ending.begin(reason)
  const limiter = followed.dropsOutput
    ? createDroppingLimiter(followed.outputBytes)
    : createEndingLimiter(followed.outputBytes, () => sandbox.kill('output'))
  sandbox.channel.resume()
  try {
    return await enforceTimeout(sandbox, { wallMs, signal, end }, async () => {
      const [stdoutBytes, stderrBytes, exit] = await Promise.all([
        readProgramStream('stdout', sandbox.stdout, { ...followed, limiter }),
        readProgramStream('stderr', sandbox.stderr, { ...followed, limiter }),
        sandbox.exited,
      ])
      for (const name of STREAM_NAMES) {
        const rest = limiter.finish(name)
        if (rest.length > 0) await onChunk(name, rest)
      }
      const { truncated, omitted } = limiter.describe()
      return { exit: ending.complete(exit), stdoutBytes, stderrBytes, truncated, omitted }
    })
  } finally {
    ending.stop()
  }
}

/** Returns the total bytes, before redaction and truncation. */
async function readProgramStream(
  name: StreamName,
  source: Readable,
  { redactor, onChunk, limiter, received }: FollowOptions & { limiter: OutputLimiter },
): Promise<number> {
  const redacting = redactor.stream()
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Redaction precedes truncation, which could leave a part of a secret.
    const clean = limiter.pass(name, redacting.push(limiter.accept(chunk)))
    if (clean.length > 0) await onChunk(name, clean)
    received.bytes += chunk.length
  }
  const rest = limiter.pass(name, redacting.end())
  if (rest.length > 0) await onChunk(name, rest)
  return bytes
}

/** Applies the output limit. */
interface OutputLimiter {
  /** Returns the bytes that are redacted. */
  accept(chunk: Buffer): Buffer
  /** Returns the bytes that are passed on now. */
  pass(name: StreamName, clean: Buffer): Buffer
  /** Returns the bytes that follow when both streams have ended. */
  finish(name: StreamName): Buffer
  describe(): Pick<ProgramEnd, 'truncated' | 'omitted'>
}

const EMPTY = Buffer.alloc(0)

/** Ends the program that prints too much. */
function createEndingLimiter(limit: number, onFull: () => void): OutputLimiter {
  let truncated = false
  const meter = new OutputMeter(limit, () => {
    truncated = true
    onFull()
  })
  return {
    accept: (chunk) => chunk.subarray(0, meter.consume(chunk.length)),
    pass: (_, clean) => clean,
    finish: () => EMPTY,
    describe: () => ({ truncated, omitted: { stdout: 0, stderr: 0 } }),
  }
}

/** Lets the program continue, and drops the middle of its output. */
function createDroppingLimiter(limit: number): OutputLimiter {
  const shares = new OutputShares(limit)
  return {
    accept: (chunk) => chunk,
    pass: (name, clean) => shares.push(name, clean),
    finish: (name) => shares.finish(name),
    describe: () => ({ truncated: sumOmitted(shares.omitted) > 0, omitted: shares.omitted }),
  }
}
