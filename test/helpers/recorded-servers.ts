import { mkdtempSync, rmSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import { CERTIFICATE, KEY } from '../core/sandbox/egress/certificate.ts'
import { createFolder, runSkills, writeTree, type CliResult, type Tree } from './skills.ts'

/** Value of the secret in the operator's file. */
export const REAL_SECRET = 'the-real-value-of-the-secret'

/** Servers whose answers tests of cassettes record. */
export interface RecordedServers {
  readonly requests: string[]
  readonly ports: { http: number; https: number }
  /** The folder with `ca.pem` and `secrets.env`. */
  readonly folder: string
  /** Inserts the ports: `HTTPS/x` and `HTTP:/x`. */
  fill(text: string): string
  /** Settings of an operator that allows these servers. */
  readonly settings: string
  test(cwd: string, words?: readonly string[], env?: Record<string, string>): Promise<Ran>
  /** Records the cases of a skill, and replays them: no request reaches a server then. */
  recordAndReplay(
    cwd: string,
    words?: readonly string[],
    test?: (cwd: string, words: readonly string[]) => Promise<Ran>,
  ): Promise<void>
}

/** A finished `skills test`, with both of its streams as one text. */
export type Ran = Pick<CliResult, 'code' | 'stdout' | 'stderr'> & { all: string }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts the servers for the tests of a file. */
export function useRecordedServers(answer: Answer = answerWithRequest): RecordedServers {
  const requests: string[] = []
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '')
    answer(request, response)
  }
  const servers = {
    http: createHttpServer(listener),
    https: createTlsServer({ key: KEY, cert: CERTIFICATE }, listener),
  }
  const ports = { http: 0, https: 0 }
  const folder = mkdtempSync(join(tmpdir(), 'skills-cassettes-'))
  beforeAll(async () => {
    writeTree(folder, { 'ca.pem': CERTIFICATE, 'secrets.env': `API_KEY=${REAL_SECRET}\n` })
    for (const name of ['http', 'https'] as const) {
      await new Promise<void>((resolve) => servers[name].listen(0, '127.0.0.1', resolve))
      ports[name] = (servers[name].address() as AddressInfo).port
    }
  })
  afterAll(() => {
    for (const server of Object.values(servers)) server.close().closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  })
  const test: RecordedServers['test'] = async (cwd, words = [], env = {}) => {
    const own = { SSL_CERT_FILE: join(folder, 'ca.pem'), CI: '', ...env }
    const ran = await runSkills(['test', ...words], { cwd, env: own, trusts: true })
    return { ...ran, all: ran.stdout + ran.stderr }
  }
  return {
    requests,
    ports,
    folder,
    settings: `[run.network]\nallow_private = ["127.0.0.1"]\n\n[secrets]\nfile = ${JSON.stringify(join(folder, 'secrets.env'))}\n`,
    fill: (text) =>
      text
        .replaceAll('HTTPS', `https://localhost:${ports.https}`)
        .replaceAll(/HTTP:(?!:)/g, `http://localhost:${ports.http}`),
    test,
    recordAndReplay: async (cwd, words = [], run = test) => {
      const start = requests.length
      const recorded = await run(cwd, ['--record', ...words])
      expect(recorded.all).not.toContain('✗')
      expect(recorded.all).toContain('review it before you commit it')
      const before = requests.length
      expect(before).toBeGreaterThan(start)
      const replayed = await run(cwd, words)
      expect(replayed.all).not.toContain('✗')
      expect(replayed.code).toBe(0)
      expect(requests).toHaveLength(before)
    },
  }
}

/** Answers with the URL and the credentials of a request, compressed. */
export function answerWithRequest(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Content-Encoding', 'gzip')
  response.end(gzipSync(JSON.stringify({ url, sent: headers.authorization ?? null })))
}

/** The folder of a skill whose commands may reach the servers, in a project. */
export function createNetworkSkill(servers: RecordedServers, files: Tree, settings = ''): string {
  const list = [
    `http://localhost:${servers.ports.http}`,
    `https://localhost:${servers.ports.https}`,
  ]
  const isNode = 'code/main.mjs' in files
  const all = {
    'skill.toml': `name = "demo.net"
version = "0.1.0"
description = "Fetches a document."
kind = "action"

[runtime]
language = "${isNode ? 'node' : 'python'}"
entrypoint = "code/main.${isNode ? 'mjs' : 'py'}"
export = "main"

[permissions]
network = ${JSON.stringify(list)}
secrets = ["API_KEY"]
`,
    'SKILL.md': '---\nname: net\ndescription: Fetches a document.\n---\n\n# Net\n',
    ...(!isNode && { 'code/main.py': 'def main(args):\n    return args\n' }),
    ...files,
  }
  const project = createFolder({ 'skills.config.toml': `${settings}${servers.settings}` })
  const folder = join(project, 'net')
  writeTree(
    folder,
    Object.fromEntries(
      Object.entries(all).map(([path, content]) => [
        path,
        typeof content === 'string' ? servers.fill(content) : content,
      ]),
    ),
  )
  return folder
}

/** A suite of one case that runs a command. */
export function createCommandSuite(command: string, expected: string): string {
  return `[[cases]]
name = "runs"
cassette = true
timeout = "60s"
command = ${JSON.stringify(command)}
expect = [{ exit_code = 0 }, { stdout = { contains = ${JSON.stringify(expected)} } }]
`
}
