import type { Writable } from 'node:stream'
import { SkillsError } from '../../../errors.ts'
import { eachChunk } from '../../../util/each-chunk.ts'
import type { EndReason, SandboxProcess } from '../../sandbox/backend.ts'
import { BlobLimit, type BlobReceiver } from '../protocol/blob-receiver.ts'
import {
  ChannelBroken,
  encodeFrame,
  FrameReader,
  readObject,
  type Frame,
} from '../protocol/frames.ts'
import type { RunKeys } from '../protocol/guest-job.ts'
import type { Logs } from './logs.ts'
import type { Told } from './ending.ts'
import { holdToTime } from './hold-to-time.ts'
import { OutputMeter } from './output-meter.ts'
import type { RunError } from '../result.ts'
import { LOG_LEVELS, type LogLevel } from '../run-call.ts'
import type { ActiveRun } from '../active-run.ts'

/** What following a sandbox needs of its run. */
export interface FollowedRun extends Pick<ActiveRun, 'permissions' | 'call'> {
  keys: RunKeys
  logs: Logs
  receiver: BlobReceiver
}

/** What came by the channel, and why no more was read from it. */
interface Heard {
  told: Told | undefined
  /** An error of the code, or of this machine, such as a full disk. */
  refused: RunError | SkillsError | undefined
}

/** Reads all that a run says until it is dead; enforces the limits that the host keeps. */
export async function followFunction(run: FollowedRun, sandbox: SandboxProcess): Promise<Heard> {
  const { limits } = run.permissions
  const { signal } = run.call
  let isOver = false
  const end = (why: EndReason) => {
    isOver = true
    sandbox.kill(why)
  }
  const meter = new OutputMeter(limits.outputBytes, () => end('output'))
  return await holdToTime(sandbox, { wallMs: limits.wallMs, signal, end }, async () => {
    const [heard] = await Promise.all([
      receive({ ...run, isOver: () => isOver }, sandbox, meter),
      run.logs.read('stdout', sandbox.stdout, meter),
      run.logs.read('stderr', sandbox.stderr, meter),
      // Code may close all that it writes to and go on: only its end is the end.
      sandbox.exited,
    ])
    return heard
  })
}

/** Takes blobs, log lines and the result from the channel. */
async function receive(
  run: FollowedRun & { isOver: () => boolean },
  sandbox: SandboxProcess,
  meter: OutputMeter,
): Promise<Heard> {
  const frames = new FrameReader(run.keys.channel)
  let told: Told | undefined
  const take: Take = (frame) => {
    // What a run still had to say when it was ended would only delay its end.
    if (run.isOver()) return undefined
    if (frame.kind === 'G') return answerQuestion(run, sandbox, frame)
    if (frame.kind !== 'R' && frame.kind !== 'L') return takeBlob(run.receiver, frame)
    if (frame.kind === 'R') told ??= readObject(frame)
    else takeLine(run.logs, frame, meter)
    return undefined
  }
  try {
    await eachChunk(sandbox.channel, (chunk) => takeAll(frames.read(chunk), take))
    return { told, refused: undefined }
  } catch (error) {
    sandbox.kill(error instanceof ChannelBroken ? 'channel' : 'blobs')
    return { told: undefined, refused: explain(error) }
  }
}

type Take = (frame: Frame) => Promise<void> | undefined

/** One after the other; most of them take no time. */
function takeAll(frames: Iterator<Frame, void>, take: Take): Promise<void> | undefined {
  for (let next = frames.next(); !next.done; next = frames.next()) {
    const work = take(next.value)
    if (work) return takeRest(work, frames, take)
  }
  return undefined
}

async function takeRest(first: Promise<void>, frames: Iterator<Frame, void>, take: Take) {
  await first
  for (let next = frames.next(); !next.done; next = frames.next()) await take(next.value)
}

async function answerQuestion(run: FollowedRun, sandbox: SandboxProcess, { content }: Frame) {
  const read = run.receiver.question(content)
  // Who asked is dead: what is left of its questions would only delay the end.
  if (!sandbox.answers.writable) return
  await writeWhole(sandbox.answers, encodeFrame(run.keys.channel, 'D', await read()))
}

/** Waits until there is room again: code that asks and never listens fills its own memory, not ours. */
async function writeWhole(target: Writable, bytes: Buffer): Promise<void> {
  if (target.destroyed || target.write(bytes)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      target.off('drain', done).off('close', done)
      resolve()
    }
    target.on('drain', done).on('close', done)
  })
}

function explain(error: unknown): RunError | SkillsError {
  if (error instanceof SkillsError) {
    if (error.code !== 'blob/too-large') return error
    return { type: 'OutputLimit', message: error.message, ...(error.hint && { hint: error.hint }) }
  }
  if (error instanceof ChannelBroken || error instanceof SyntaxError) {
    return {
      type: 'SandboxError',
      message: new ChannelBroken().message,
      hint: 'Write only to files that the code opened itself',
    }
  }
  if (error instanceof BlobLimit) {
    return {
      type: 'OutputLimit',
      message: `The run made ${error.message} of blobs`,
      hint: 'Write less, or set run.limits.blobs in skills.config.toml',
      limit: { name: 'blobs', value: error.value },
    }
  }
  throw error
}

async function takeBlob(receiver: BlobReceiver, { kind, content }: Frame): Promise<void> {
  if (kind === 'B') await receiver.begin(content)
  else if (kind === 'C') await receiver.add(content)
  else if (kind === 'E') await receiver.end(content)
  else if (kind === 'A') await receiver.drop(content)
  else throw new ChannelBroken()
}

function takeLine(logs: Logs, frame: Frame, meter: OutputMeter): void {
  const { level, text, last } = readObject(frame)
  if (typeof text !== 'string' || !LOG_LEVELS.includes(level as LogLevel)) throw new ChannelBroken()
  const bytes = Buffer.from(text)
  const size = meter.take(bytes.length + 1)
  const whole = new TextDecoder().decode(bytes.subarray(0, size), { stream: true })
  if (size > 0) logs.line(level as LogLevel, whole, last !== false)
}
