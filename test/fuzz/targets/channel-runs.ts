import { PassThrough } from 'node:stream'
import type { SandboxProcess } from '../../../src/core/sandbox/backend.ts'
import type { BlobStore } from '../../../src/core/storage/blob-store.ts'
import { BlobReceiver } from '../../../src/core/runs/protocol/blob-receiver.ts'
import { encodeFrame } from '../../../src/core/runs/protocol/frames.ts'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import {
  followFunction,
  type FollowedRun,
} from '../../../src/core/runs/supervise/follow-function.ts'
import { resolveFunctionOutcome } from '../../../src/core/runs/supervise/function-outcome.ts'
import type { FunctionEnd } from '../../../src/core/runs/supervise/function-end.ts'
import { RunLogs } from '../../../src/core/runs/supervise/logs.ts'
import { RunProgress } from '../../../src/core/runs/supervise/progress.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const KEY = Buffer.from('0123456789abcdef')
const MAX_BLOB_BYTES = 1000
const SECRET = 'secret-value-42'

/** Frames of user code that knows the key of its channel: each line is an opcode and content. */
export const target: FuzzTarget = {
  name: 'channel-runs',
  format: 'text',
  seeds: [
    'B{"number":0,"kind":"text/plain"}\nC\0\0\0\0hello\nE\0\0\0\0\nR{"output_blob":"blob:x"}',
    'L{"level":"info","text":"a"}\nP{"done":1,"total":2,"message":"m"}\nR{"output":"[1,2]","summary":"s"}',
    'R{"error":{"type":"ValueError","message":"m","traceback":"t","hint":"h","exit_code":3,"errno":28}}',
    'B{"number":0,"output":true}\nC\0\0\0\0a\nA\0\0\0\0\nG\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05',
  ],
  words: [
    '\nB{"number":1}',
    '\nC\0\0\0\x01',
    '\nE\0\0\0\0',
    '\nA\0\0\0\0',
    '\nG\0\0\0\0',
    '\nR{"output":"',
    '"kind":"a/b"',
    '"kind":{}',
    '"level":"error"',
    '"last":false',
    '"done":1e999',
    '"error":null',
    SECRET,
    '"summary":{}',
    '"type":[]',
    '"exit_code":"1"',
    '[[[[',
    '-0',
    '1e999',
    '{"a":1,"a":2}',
  ],
  open: (isPlanted) => async (input) => {
    const store = createMemoryStore()
    const receiver = new BlobReceiver({
      store: store as unknown as BlobStore,
      redactor: createRedactor([SECRET]),
      maxBytes: MAX_BLOB_BYTES,
      secret: KEY,
    })
    const texts: string[] = []
    const { harnessResult, channelError } = await follow(input, receiver, (text) =>
      texts.push(text),
    )
    const written = [...store.written.values()].reduce((sum, { length }) => sum + length, 0)
    // The planted bug: blobs count when they end, not while they are written.
    expectThat(written <= MAX_BLOB_BYTES + (isPlanted ? -996 : 0), 'blobs stay below the limit')
    const printed = texts.join('')
    expectThat(!printed.includes(SECRET), 'logs have no secret')
    const exit = { exitCode: 0, signal: null } as FunctionEnd['exit']
    const end = { exit, harnessResult, channelError, isolation: {}, language: 'python' }
    checkOutcome(resolveFunctionOutcome({ ...end, limits: {}, hits: {} } as unknown as FunctionEnd))
    await receiver.commit()
  },
}

async function follow(input: Buffer, receiver: BlobReceiver, onText: (text: string) => void) {
  const [channel, stdout, stderr, answers] = [1, 2, 3, 4].map(() => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ]
  answers.resume()
  for (const line of splitLines(input))
    channel.write(encodeFrame(KEY, String.fromCharCode(line[0] ?? 0), line.subarray(1)))
  for (const each of [channel, stdout, stderr]) each.end()
  const redactor = createRedactor([SECRET])
  const run = {
    permissions: { limits: { wallMs: 60_000, outputBytes: 500 } },
    call: { cwd: '/', env: {} },
    keys: { channel: KEY, blobs: KEY },
    trace: {},
    logs: new RunLogs(redactor, { onPiece: ({ text }) => onText(text), onBytes: undefined }),
    progress: new RunProgress({ redactor, onProgress: ({ message = '' }) => onText(message) }),
    receiver,
  } as unknown as FollowedRun
  const streams = { channel, stdout, stderr, answers }
  const exited = Promise.resolve({})
  return await followFunction(run, {
    ...streams,
    exited,
    kill: () => {},
  } as unknown as SandboxProcess)
}

function splitLines(input: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let at = input.indexOf(10); at !== -1; at = input.indexOf(10, start)) {
    lines.push(input.subarray(start, at))
    start = at + 1
  }
  return [...lines, input.subarray(start)]
}

function checkOutcome(outcome: ReturnType<typeof resolveFunctionOutcome>): void {
  if (outcome.kind !== 'failed') return
  const { type, message, exit_code: code } = outcome.error
  expectThat(typeof type === 'string' && typeof message === 'string', 'an error has words')
  expectThat(code === undefined || Number.isInteger(code), 'an exit code is a whole number')
}

/** Blobs in memory, with the methods that a receiver uses. */
function createMemoryStore() {
  const written = new Map<string, Buffer>()
  return {
    written,
    remove: async (id: string) => void written.delete(id),
    async writer({ id = 'blob:host' }: { id?: string }) {
      written.set(id, Buffer.alloc(0))
      return {
        id,
        write: async (chunk: Buffer) =>
          void written.set(id, Buffer.concat([written.get(id) ?? Buffer.alloc(0), chunk])),
        read: async (at: number, size: number) => (written.get(id) ?? KEY).subarray(at, at + size),
        seal: async () => {},
        abort: async () => {},
        commit: async () => ({ blob_id: id }),
        get written() {
          return written.get(id)?.length ?? 0
        },
      }
    },
  }
}
