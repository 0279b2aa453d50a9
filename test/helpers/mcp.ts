import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startServe } from './served.ts'
import { INHERITED_ENV } from './inherited-env.ts'
import { BIN } from './built.ts'
import { selectSubjects } from './matrix.ts'

export const ERAS = ['legacy', 'modern'] as const
export type Era = (typeof ERAS)[number]

/** Every combination of protocol era and transport. */
export const MCP_ROUTES = ERAS.flatMap((era) =>
  (['stdio', 'http'] as const).map((transport) => ({ era, transport })),
)

/** The combinations that a slow suite tests: each era and each transport at least once. */
export const selectRoutes = (suite: string) =>
  selectSubjects(suite, MCP_ROUTES, (route) => ({ ...route }))

export interface McpRoute {
  era: Era
  transport: 'stdio' | 'http'
}

export interface McpConnection {
  client: Client
  /** Pid of the server; undefined if it has no process of its own. */
  pid: number | undefined
  /** Standard error of the server so far. */
  stderr(): string
  close(): Promise<void>
}

/** The official client, for one protocol era. */
export function newClient(era: Era): Client {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const info = { name: 'test', version: '1' }
  return new Client(info, { versionNegotiation: { mode } })
}

/** Starts `skills mcp` or `skills serve` in its own process and connects to it. */
export async function connectClient(
  { era, transport }: McpRoute,
  at: { cwd: string; argv?: readonly string[] },
): Promise<McpConnection> {
  const client = newClient(era)
  if (transport === 'stdio') {
    const stdio = stdioTransport(at)
    await client.connect(stdio)
    let text = ''
    stdio.stderr?.on('data', (chunk) => (text += String(chunk)))
    const close = async () => await client.close()
    return { client, pid: stdio.pid ?? undefined, stderr: () => text, close }
  }
  let end = () => {}
  const argv = ['--watch', ...(at.argv ?? [])]
  const served = await startServe(argv, { cwd: at.cwd }, (stop) => (end = stop))
  const close = async () => {
    end()
    await client.close()
  }
  await client.connect(httpTransport(served.url)).catch((error: unknown) => {
    end()
    throw error
  })
  return { client, pid: served.process.pid, stderr: served.stderr, close }
}

export function stdioTransport(at: {
  cwd: string
  argv?: readonly string[]
}): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...(at.argv ?? [])],
    cwd: at.cwd,
    env: { ...INHERITED_ENV, HOME: at.cwd },
    stderr: 'pipe',
  })
}

export function httpTransport(url: string, token?: string): StreamableHTTPClientTransport {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
}

/** Polls until a condition holds. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not come to be so')
}
