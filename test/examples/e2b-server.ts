import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const KEY = 'test-key'
const TOKEN = 'envd-token'

/** A stand-in for E2B's API, written from its documents: sandboxes are processes of this machine. */
export async function startE2bServer() {
  const sandboxes = new Map<string, ChildProcess[]>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    answer({ sandboxes, request, response }).catch((error: Error) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(error.message)
    })
    requests.push(`${request.method} ${request.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const children of sandboxes.values()) for (const child of children) child.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, sandboxes, options: { apiKey: KEY, apiUrl: url, sandboxUrl: () => url } }
}

interface Exchange {
  sandboxes: Map<string, ChildProcess[]>
  request: IncomingMessage
  response: ServerResponse
}

async function answer(exchange: Exchange): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of exchange.request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  if (exchange.request.url?.startsWith('/sandboxes')) await answerPlatform(exchange, body)
  else answerSandbox(exchange, body)
}

async function answerPlatform({ sandboxes, request, response }: Exchange, body: Buffer) {
  const { url = '', method, headers } = request
  if (headers['x-api-key'] !== KEY) return void response.writeHead(401).end('no key')
  if (method === 'POST') {
    const { templateID, secure } = JSON.parse(body.toString()) as Record<string, unknown>
    if (templateID !== 'base' || secure !== true) return void response.writeHead(400).end()
    const sandboxID = `sandbox-${sandboxes.size}`
    sandboxes.set(sandboxID, [])
    const created = { sandboxID, templateID, envdVersion: '0.4.0', envdAccessToken: TOKEN }
    return void response.writeHead(201).end(JSON.stringify(created))
  }
  const children = sandboxes.get(url.slice('/sandboxes/'.length))
  if (children === undefined) return void response.writeHead(404).end('no sandbox')
  await Promise.all(children.map(endChild))
  response.writeHead(204).end()
}

function answerSandbox({ sandboxes, request, response }: Exchange, body: Buffer): void {
  const { url = '', headers } = request
  const children = sandboxes.get(String(headers['e2b-sandbox-id']))
  if (headers['x-access-token'] !== TOKEN || headers['connect-protocol-version'] !== '1')
    return void response.writeHead(401).end('{"code":"unauthenticated"}')
  if (children === undefined) return void response.writeHead(404).end('no sandbox')
  if (url === '/process.Process/Start') startProcess(children, body, response)
  else sendInput(children, JSON.parse(body.toString()) as Input, { url, response })
}

interface Input {
  process: { pid: number }
  input?: { stdin: string }
}

function sendInput(
  children: readonly ChildProcess[],
  { process: selected, input }: Input,
  { url, response }: { url: string; response: ServerResponse },
): void {
  const child = children.find(({ pid }) => pid === selected.pid)
  if (!child?.stdin || child.exitCode !== null)
    return void response.writeHead(404).end('{"code":"not_found"}')
  if (url === '/process.Process/SendInput') child.stdin.write(input?.stdin ?? '', 'base64')
  else if (url === '/process.Process/CloseStdin') child.stdin.end()
  else return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

function startProcess(children: ChildProcess[], body: Buffer, response: ServerResponse): void {
  // The request is a message of the Connect protocol, too.
  if (body[0] !== 0 || body.readUInt32BE(1) !== body.length - 5)
    return void response.writeHead(400).end('no message')
  const { process: command } = JSON.parse(body.toString('utf8', 5)) as {
    process: { cmd: string; args: string[] }
  }
  const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child', '--']
  const child = spawn('unshare', [...unshare, command.cmd, ...command.args], {
    env: { PATH: process.env['PATH'] },
    stdio: 'pipe',
  })
  children.push(child)
  child.stdin.on('error', () => {})
  response.writeHead(200, { 'content-type': 'application/connect+json' })
  const send = (message: object, flags = 0) => {
    const text = Buffer.from(JSON.stringify(message))
    const head = Buffer.alloc(5)
    head[0] = flags
    head.writeUInt32BE(text.length, 1)
    response.write(Buffer.concat([head, text]))
  }
  send({ event: { start: { pid: child.pid } } })
  send({ event: { keepalive: {} } })
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (bytes: Buffer) =>
      send({ event: { data: { [name]: bytes.toString('base64') } } }),
    )
  child.once('close', (code, signal) => {
    const exited = signal === null
    const end = { ...(code && { exitCode: code }), ...(exited && { exited }) }
    send({ event: { end: { ...end, status: signal ?? `exit status ${code}` } } })
    send({}, 2)
    response.end()
  })
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => {
    child.once('close', resolve)
    child.kill('SIGKILL')
  })
}
