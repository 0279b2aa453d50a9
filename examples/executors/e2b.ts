// An executor of E2B's sandboxes, by their documented HTTP API: each command has a sandbox of its own.
import { PassThrough, Readable } from 'node:stream'
import type { Executor, ExecutorExit, ExecutorGuarantees } from 'skills-protocol/executors'

export interface E2bOptions {
  apiKey: string
  /** A template with Python 3.9 or newer. */
  template?: string
  /** Seconds after which E2B ends a sandbox. */
  timeout?: number
  /** What your template and plan hold, as `checkExecutor` has confirmed; default: nothing. */
  guarantees?: ExecutorGuarantees
  apiUrl?: string
  /** Address of the process API of a sandbox. */
  sandboxUrl?: (sandbox: Sandbox) => string
}

export interface Sandbox {
  sandboxID: string
  domain?: string | null
  envdAccessToken?: string
}

interface ProcessEvent {
  start?: { pid: number }
  data?: { stdout?: string; stderr?: string }
  /** Zero and false are left out. */
  end?: { exitCode?: number; exited?: boolean; error?: string }
}

/** Port of the process API in a sandbox. */
const PORT = 49_983
const MAX_INPUT_BYTES = 512 * 1024
const END_OF_STREAM = 2

export function e2bExecutor(options: E2bOptions): Executor {
  const { apiUrl = 'https://api.e2b.app', template = 'base', timeout = 3600 } = options
  const headers = { 'x-api-key': options.apiKey, 'content-type': 'application/json' }
  const sandboxUrl =
    options.sandboxUrl ??
    (({ sandboxID, domain }) => `https://${PORT}-${sandboxID}.${domain ?? 'e2b.app'}`)
  return {
    name: 'e2b',
    guarantees: options.guarantees ?? { isolates: [], limits: [] },
    async start({ argv, signal }) {
      const created = await request(`${apiUrl}/sandboxes`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          templateID: template,
          timeout,
          secure: true,
          allow_internet_access: false,
        }),
        ...(signal && { signal }),
      })
      const sandbox = (await created.json()) as Sandbox
      const remove = async () => {
        await request(`${apiUrl}/sandboxes/${sandbox.sandboxID}`, { method: 'DELETE', headers })
      }
      try {
        return await startProcess(argv, { url: sandboxUrl(sandbox), sandbox, remove })
      } catch (error) {
        await remove().catch(() => {})
        throw error
      }
    },
  }
}

interface Place {
  url: string
  sandbox: Sandbox
  remove: () => Promise<void>
}

async function startProcess([cmd, ...args]: readonly string[], { url, sandbox, remove }: Place) {
  const headers = {
    'connect-protocol-version': '1',
    'e2b-sandbox-id': sandbox.sandboxID,
    'e2b-sandbox-port': String(PORT),
    'keepalive-ping-interval': '50',
    ...(sandbox.envdAccessToken && { 'x-access-token': sandbox.envdAccessToken }),
  }
  const call = async (name: string, message: object) =>
    await request(`${url}/process.Process/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
  const response = await request(`${url}/process.Process/Start`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/connect+json' },
    body: encodeMessage({ process: { cmd, args }, stdin: true }),
  })
  const events = readEvents(response)
  const process = { pid: (await events.next()).value?.start?.pid }
  if (process.pid === undefined) throw new Error('E2B started no process')
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  let kill = () => {}
  const killed = new Promise<ExecutorExit>((resolve) => {
    kill = () => resolve({ exitCode: null })
  })
  const ended = forward(events, { stdout, stderr }).catch((error: Error): ExecutorExit => ({
    exitCode: null,
    failure: error.message,
  }))
  // A sandbox that is removed has no processes any more.
  const exited = Promise.race([ended, killed]).then(async (exit) => {
    const failure = await remove().then(() => undefined, String)
    stdout.end()
    stderr.end()
    return failure === undefined ? exit : { ...exit, failure }
  })
  const stdin = new PassThrough()
  const sendInput = async () => {
    for await (const chunk of stdin) {
      for (let at = 0; at < (chunk as Buffer).length; at += MAX_INPUT_BYTES) {
        const part = (chunk as Buffer).subarray(at, at + MAX_INPUT_BYTES).toString('base64')
        await call('SendInput', { process, input: { stdin: part } })
      }
    }
    await call('CloseStdin', { process })
  }
  // A process that has ended takes no input.
  sendInput().catch(() => stdin.destroy())
  return { stdin, stdout, stderr, exited, kill }
}

async function forward(
  events: AsyncIterable<ProcessEvent>,
  streams: Record<'stdout' | 'stderr', PassThrough>,
): Promise<ExecutorExit> {
  for await (const { data, end } of events) {
    for (const name of ['stdout', 'stderr'] as const) {
      const bytes = data?.[name]
      if (!bytes || streams[name].write(Buffer.from(bytes, 'base64'))) continue
      await new Promise((resolve) => streams[name].once('drain', resolve))
    }
    if (!end) continue
    return { exitCode: end.exited ? (end.exitCode ?? 0) : null }
  }
  throw new Error('E2B closed the connection before the process ended')
}

/** Messages of a stream of the Connect protocol: a byte of flags, four of the length, and JSON. */
async function* readEvents(response: Response): AsyncGenerator<ProcessEvent> {
  let rest = Buffer.alloc(0)
  for await (const chunk of Readable.fromWeb(response.body as never)) {
    rest = Buffer.concat([rest, chunk as Buffer])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const [flags, end] = [rest[0], 5 + rest.readUInt32BE(1)]
      const message = JSON.parse(rest.toString('utf8', 5, end)) as {
        event?: ProcessEvent
        error?: { message?: string }
      }
      rest = rest.subarray(end)
      if (message.error) throw new Error(`E2B: ${message.error.message ?? 'the process failed'}`)
      if (flags === END_OF_STREAM) return
      if (message.event) yield message.event
    }
  }
}

function encodeMessage(message: object): Buffer<ArrayBuffer> {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(text.length, 1)
  return Buffer.concat([head, text])
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.ok) return response
  const text = (await response.text()).slice(0, 200)
  throw new Error(`E2B answered ${response.status} to ${new URL(url).pathname}: ${text}`)
}
