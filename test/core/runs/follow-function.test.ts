import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { EndReason, SandboxProcess } from '../../../src/core/sandbox/backend.ts'
import {
  followFunction,
  type FollowedRun,
} from '../../../src/core/runs/supervise/follow-function.ts'
import { encodeFrame, KEY_BYTES } from '../../../src/core/runs/protocol/frames.ts'
import { RunProgress } from '../../../src/core/runs/supervise/progress.ts'
import { RunLogs } from '../../../src/core/runs/supervise/logs.ts'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'

/** Follows a dead guest that left these frames; returns how many blobs were begun. */
async function followDeadGuest(signal: AbortSignal | undefined): Promise<number> {
  const keys = { channel: randomBytes(KEY_BYTES), blobs: randomBytes(KEY_BYTES) }
  const channel = new PassThrough()
  const [stdout, stderr, answers] = [new PassThrough(), new PassThrough(), new PassThrough()]
  for (let n = 0; n < 50; n++) {
    channel.write(encodeFrame(keys.channel, 'B', Buffer.from(`{"number":${n},"kind":"a/b"}`)))
  }
  for (const each of [channel, stdout, stderr]) each.end()
  let begunCount = 0
  const receiver = {
    begin: async () => void (begunCount += 1),
  } as unknown as FollowedRun['receiver']
  const permissions = { limits: { wallMs: 60_000, outputBytes: 1000 } }
  await followFunction(
    {
      permissions: permissions as FollowedRun['permissions'],
      call: { cwd: '/', env: {}, ...(signal && { signal }) },
      trace: {},
      keys,
      logs: new RunLogs(createRedactor([]), { onPiece: undefined, onBytes: undefined }),
      receiver,
      progress: new RunProgress({ redactor: createRedactor([]), onProgress: undefined }),
    },
    {
      channel,
      stdout,
      stderr,
      answers,
      exited: Promise.resolve({}),
      kill: (_why: EndReason) => {},
    } as unknown as SandboxProcess,
  )
  return begunCount
}

it('a run that ended normally delivers the frames that it left', async () => {
  expect(await followDeadGuest(undefined)).toBe(50)
})

it('a run that was ended delivers no more frames, which would delay its end', async () => {
  expect(await followDeadGuest(AbortSignal.abort())).toBe(0)
})
