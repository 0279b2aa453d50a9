import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { createFolder } from './skills.ts'

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome']
/** Flags for a headless browser that starts no services of its own. */
export const CHROMIUM_FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync --disable-background-networking --disable-component-update'.split(
    ' ',
  )

/** Path of an installed Chromium; undefined where there is none. */
export function findChromium(): string | undefined {
  return NAMES.flatMap((name) =>
    (process.env['PATH'] ?? '').split(':').map((dir) => `${dir}/${name}`),
  ).find((path) => existsSync(path))
}

type Params = Record<string, unknown>
interface Message {
  id?: number
  method?: string
  params?: Params
  result?: Params
  error?: { message: string }
}

/** A page of a headless browser, controlled by the DevTools protocol. */
export interface BrowserPage {
  send(method: string, params?: Params): Promise<Params>
  /** Result of an expression in the page; promises are awaited. */
  evaluate(expression: string): Promise<unknown>
  /** Addresses of all requests so far. */
  requests: readonly string[]
}

/** Opens a blank page in a browser that ends with the test. */
export async function openBrowser(chromium: string): Promise<BrowserPage> {
  const connection = startChromium(chromium)
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
  const requests: string[] = []
  connection.onEvent = ({ method, params = {} }) => {
    if (method !== 'Network.requestWillBeSent') return
    requests.push((params['request'] as { url: string }).url)
  }
  const send = async (method: string, params: Params = {}) =>
    await connection.send(method, params, sessionId as string)
  for (const domain of ['Network', 'Page', 'Runtime']) await send(`${domain}.enable`)
  return {
    send,
    requests,
    async evaluate(expression) {
      const params = { expression, awaitPromise: true, returnByValue: true }
      const { result, exceptionDetails } = await send('Runtime.evaluate', params)
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
      return (result as Params)['value']
    },
  }
}

/** Messages are JSON texts that end with a zero byte, on descriptors 3 and 4. */
function startChromium(chromium: string) {
  const argv = [...CHROMIUM_FLAGS, '--remote-debugging-pipe', `--user-data-dir=${createFolder()}`]
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const
  const child = spawn(chromium, argv, { stdio: [...stdio], detached: true })
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  input.on('error', () => {})
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
  const pending = new Map<number, (message: Message) => void>()
  const connection = {
    onEvent: undefined as ((event: Message) => void) | undefined,
    async send(method: string, params: Params, sessionId?: string): Promise<Params> {
      const id = pending.size + 1
      const answer = new Promise<Message>((resolve) => pending.set(id, resolve))
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      const { result = {}, error } = await answer
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    },
  }
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0')
    rest = messages.pop() ?? ''
    for (const each of messages) {
      const message = JSON.parse(each) as Message
      if (message.id === undefined) connection.onEvent?.(message)
      else pending.get(message.id)?.(message)
    }
  })
  return connection
}
