import type { Writable } from 'node:stream'
import { SkillsError } from '../../../errors.ts'
import { forEachChunk } from '../../../util/bytes/for-each-chunk.ts'
import type { EndReason, SandboxProcess } from '../../sandbox/backend.ts'
import { BlobLimitError, type BlobReceiver } from '../protocol/blob-receiver.ts'
import {
  BrokenChannelError,
  encodeFrame,
  FrameReader,
  parseFrameObject,
  type Frame,
} from '../protocol/frames.ts'
import type { RunKeys } from '../protocol/guest-job.ts'
import type { RunLogs } from './logs.ts'
import type { HarnessResult } from './function-end.ts'
import { enforceTimeout } from './enforce-timeout.ts'
import { OutputMeter } from './output-meter.ts'
import type { RunProgress } from './progress.ts'
import type { RunError } from '../result.ts'
import { LOG_LEVELS, type LogLevel } from '../run-call.ts'
import type { ActiveRun } from '../active-run.ts'

/** Parts of a run that `followFunction` needs. */
export interface FollowedRun extends Pick<ActiveRun, 'permissions' | 'call' | 'trace'> {
  keys: RunKeys
  logs: RunLogs
  receiver: BlobReceiver
  progress: RunProgress
}

/** Result of the harness, or the error that stopped the reading of the channel. */
interface ChannelResult {
  harnessResult: HarnessResult | undefined
  /** An error of the code, or of the host, such as a full disk. */
  channelError: RunError | SkillsError | undefined
}

/** Reads all output of a run until its processes are dead, and enforces the limits of the host. */
export async function followFunction(
  run: FollowedRun,
  sandbox: SandboxProcess,
): Promise<ChannelResult> {
  const { limits } = run.permissions
  const { signal } = run.call
  let isOver = false
  const end = (reason: EndReason) => {
    isOver = true
    sandbox.kill(reason)
  }
  const meter = new OutputMeter(limits.outputBytes, () => end('output'))
  run.trace.countOutputBytes = () => meter.consumed
  return await enforceTimeout(sandbox, { wallMs: limits.wallMs, signal, end }, async () => {
    const [channelResult] = await Promise.all([
      readChannel({ ...run, isOver: () => isOver }, sandbox, meter),
      run.logs.read('stdout', sandbox.stdout, meter),
      run.logs.read('stderr', sandbox.stderr, meter),
      // Code may close all its streams and continue, so only the exit of the process ends the run.
      sandbox.exited,
    ])
    return channelResult
  })
}

/** Receives blobs, log lines and the result from the channel. */
async function readChannel(
  run: FollowedRun & { isOver: () => boolean },
  sandbox: SandboxProcess,
  meter: OutputMeter,
): Promise<ChannelResult> {
  const frames = new FrameReader(run.keys.channel)
  let harnessResult: HarnessResult | undefined
  const handle: FrameHandler = (frame) => {
    // Frames that arrive after the run was ended are ignored; handling them would delay the end.
    if (run.isOver()) return undefined
    if (frame.opcode === 'G') return answerBlobRead(run, sandbox, frame)
    if (frame.opcode === 'P') run.progress.receive(frame, meter)
    else if (frame.opcode === 'R') harnessResult ??= parseFrameObject(frame)
    else if (frame.opcode === 'L') receiveLogLine(run.logs, frame, meter)
    else return receiveBlobFrame(run.receiver, frame)
    return undefined
  }
  try {
    await forEachChunk(sandbox.channel, (chunk) => handleFrames(frames.read(chunk), handle))
    if (!run.isOver()) run.progress.finish()
    return { harnessResult, channelError: undefined }
  } catch (error) {
    sandbox.kill(error instanceof BrokenChannelError ? 'channel' : 'blobs')
    return { harnessResult: undefined, channelError: toChannelError(error) }
  }
}

type FrameHandler = (frame: Frame) => Promise<void> | undefined

/** Handles frames in order. Most handlers are synchronous. */
function handleFrames(
  frames: Iterator<Frame, void>,
  handle: FrameHandler,
): Promise<void> | undefined {
  for (let next = frames.next(); !next.done; next = frames.next()) {
    const work = handle(next.value)
    if (work) return handleRemainingFrames(work, frames, handle)
  }
  return undefined
}

async function handleRemainingFrames(
  first: Promise<void>,
  frames: Iterator<Frame, void>,
  handle: FrameHandler,
) {
  await first
  for (let next = frames.next(); !next.done; next = frames.next()) await handle(next.value)
}

async function answerBlobRead(run: FollowedRun, sandbox: SandboxProcess, { content }: Frame) {
  const read = run.receiver.prepareRead(content)
  // The guest is dead: remaining requests are ignored, because they would delay the end.
  if (!sandbox.answers.writable) return
  await writeWithBackpressure(sandbox.answers, encodeFrame(run.keys.channel, 'D', await read()))
}

/**
 * Waits for `drain`: code that sends requests and never reads the answers fills its own memory, not
 * that of the host.
 */
async function writeWithBackpressure(target: Writable, bytes: Buffer): Promise<void> {
  if (target.destroyed || target.write(bytes)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      target.off('drain', done).off('close', done)
      resolve()
    }
    target.on('drain', done).on('close', done)
  })
}

function toChannelError(error: unknown): RunError | SkillsError {
  if (error instanceof SkillsError) {
    if (error.code !== 'blob/too-large') return error
    return { type: 'OutputLimit', message: error.message, ...(error.hint && { hint: error.hint }) }
  }
  if (error instanceof BrokenChannelError || error instanceof SyntaxError) {
    return {
      type: 'SandboxError',
      message: new BrokenChannelError().message,
      hint: 'Write only to files that the code opened itself',
    }
  }
  if (error instanceof BlobLimitError) {
    return {
      type: 'OutputLimit',
      message: `The run created ${error.message}`,
      hint: 'Write less, or raise store.quota in skills.config.toml: a run may create a quarter of it',
      limit: { name: 'blobs', value: error.value },
    }
  }
  throw error
}

async function receiveBlobFrame(
  receiver: BlobReceiver,
  { opcode: kind, content }: Frame,
): Promise<void> {
  if (kind === 'B') await receiver.begin(content)
  else if (kind === 'C') await receiver.add(content)
  else if (kind === 'E') await receiver.end(content)
  else if (kind === 'A') await receiver.discard(content)
  else throw new BrokenChannelError()
}

function receiveLogLine(logs: RunLogs, frame: Frame, meter: OutputMeter): void {
  const { level, text, last } = parseFrameObject(frame)
  if (typeof text !== 'string' || !LOG_LEVELS.includes(level as LogLevel))
    throw new BrokenChannelError()
  const bytes = Buffer.from(text)
  const size = meter.consume(bytes.length + 1)
  const decoded = new TextDecoder().decode(bytes.subarray(0, size), { stream: true })
  if (size > 0) logs.addLine(level as LogLevel, decoded, last !== false)
}
