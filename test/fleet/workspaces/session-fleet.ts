import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { METHODS_BY_NAME } from '../../../src/core/methods/index.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { deriveSessionKey } from '../../../src/core/skill-context/session-key.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openFront } from '../../../src/fleet/front/open-front.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { listHomes, readHome, type HomeRecord } from '../../../src/fleet/workspaces/home-record.ts'
import type { WorkspaceManifest } from '../../../src/fleet/workspaces/manifest.ts'
import { readManifest } from '../../../src/fleet/workspaces/stored-manifest.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { createFolder } from '../../helpers/skills.ts'
import { initFleet, startChild } from '../checker/stub-fleet.ts'

const WORKER = fileURLToPath(new URL('worker-process.ts', import.meta.url))
const CALLER = 'test'

type Result = Record<string, unknown>

interface SessionFront {
  call(method: string, params: object): Promise<Result>
  close(): Promise<void>
}

/** Two fronts in this process, and workers in processes of their own. */
export class SessionFleet {
  readonly server: TestServer
  readonly engine: Engine
  readonly dir: string
  readonly workers = new Map<string, ChildProcess>()
  #fronts: readonly SessionFront[] = []
  #settings: Record<string, unknown>

  /** Starts a fleet that ends with the test. */
  static async start(
    workers: readonly string[],
    settings: Record<string, unknown> = {},
  ): Promise<SessionFleet> {
    const server = await startNatsServer()
    await initFleet(server.url)
    const engine = await openEngine({
      servers: server.url,
      name: 'test',
      tenant: 'main',
      patienceMs: 10_000,
    })
    const fleet = new SessionFleet(server, engine, settings)
    onTestFinished(async () => await fleet.#close())
    const [fronts] = await Promise.all([
      Promise.all(['front1', 'front2'].map(async (name) => await fleet.#openFront(name))),
      ...workers.map(async (name) => await fleet.startWorker(name)),
    ])
    fleet.#fronts = fronts
    return fleet
  }

  private constructor(server: TestServer, engine: Engine, settings: Record<string, unknown>) {
    this.server = server
    this.engine = engine
    this.dir = createFolder()
    this.#settings = settings
  }

  async startWorker(name: string): Promise<void> {
    const args = [this.server.url, name, this.dir, JSON.stringify(this.#settings)]
    this.workers.set(name, await startChild(WORKER, args, process.env))
  }

  /** Calls a method of the session `s` at one of the fronts. */
  async call(method: string, params: object = {}, front = 0): Promise<Result> {
    const each = this.#fronts[front] as SessionFront
    return await each.call(method, { session: 's', ...params })
  }

  /** Calls a method that has no session. */
  async callPlain(method: string, params: object): Promise<Result> {
    return await (this.#fronts[0] as SessionFront).call(method, params)
  }

  /** Workers that have kernels. */
  async listKernelHomes(): Promise<string[]> {
    const nodes: string[] = []
    for await (const { key, record } of listHomes(this.engine)) {
      if (key.startsWith('kernel-') && record.node !== null) nodes.push(record.node)
    }
    return nodes
  }

  /** Runs a command, and returns its output. */
  async exec(command: string, front = 0): Promise<string> {
    const { output = '' } = await this.call('workspace_exec', { command }, front)
    return output as string
  }

  async write(path: string, content: string, front = 0): Promise<Result> {
    return await this.call('workspace_write', { path, content }, front)
  }

  async read(path: string, front = 0): Promise<Result> {
    return await this.call('workspace_read', { ref: path }, front)
  }

  async readHome(session = 's'): Promise<HomeRecord | undefined> {
    const key = `session-${deriveSessionKey(session, CALLER)}`
    return (await readHome(this.engine, key))?.record
  }

  /** The manifest of the snapshot that the record of the session names. */
  async readSnapshot(session = 's'): Promise<WorkspaceManifest> {
    const home = await this.readHome(session)
    if (!home?.snapshot) throw new Error('the session has no snapshot')
    return await readManifest(this.engine, deriveSessionKey(session, CALLER), home.snapshot)
  }

  /** Paths of the files and links of the snapshot, below the root of the workspace. */
  async listSnapshot(): Promise<string[]> {
    const { entries } = await this.readSnapshot()
    const shown = entries.filter(({ type }) => type !== 'folder')
    return shown.map(({ path }) => path.replace(/^root\//, '')).sort()
  }

  /** The worker that has the session. */
  async findHome(): Promise<string> {
    const node = (await this.readHome())?.node
    if (node === undefined || node === null) throw new Error('the session has no home')
    return node
  }

  /** Folder of the session's workspace on a worker, as the worker sees it. */
  folder(worker: string, session = 's'): string {
    const key = deriveSessionKey(session, CALLER)
    return join(this.dir, 'nodes', worker, 'workspaces', key)
  }

  async kill(worker: string): Promise<void> {
    const child = this.workers.get(worker)
    if (!child) throw new Error(`there is no worker "${worker}"`)
    this.workers.delete(worker)
    await endChild(child, 'SIGKILL')
  }

  /** Asks a worker to drain and to end. Resolves when its process has ended. */
  async drain(worker: string): Promise<void> {
    const child = this.workers.get(worker) as ChildProcess
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.send('stop')
    await ended
    this.workers.delete(worker)
  }

  async #openFront(name: string): Promise<SessionFront> {
    const { config } = await loadConfig({ cwd: this.dir, env: {}, flags: {}, noFiles: true })
    config.directories.data = join(this.dir, 'nodes', name)
    const front = await openFront({
      engine: await openEngine({
        servers: this.server.url,
        name,
        tenant: 'main',
        patienceMs: 10_000,
        reads: 'requests',
      }),
      identity: createIdentity(name),
      config,
      build: 'test',
      hasSeveralCallers: false,
    })
    const runtime = createRuntime({ config, stores: front.stores })
    return {
      async call(method, params) {
        const found = METHODS_BY_NAME.get(method)
        if (!found) throw new Error(`there is no method "${method}"`)
        const call = { env: {}, cwd: '/', caller: { name: CALLER }, runId: createRunId() }
        const parsed = found.params.parse(params)
        const result = await front.serving.perform(runtime, found, { params: parsed, call })
        return found.result.parse(result) as Result
      },
      async close() {
        front.drain()
        await front.close()
      },
    }
  }

  async #close(): Promise<void> {
    this.server.process.kill('SIGCONT')
    await Promise.all([...this.workers.keys()].map(async (name) => await this.kill(name)))
    await Promise.all(this.#fronts.map(async (front) => await front.close()))
    await this.engine.close()
    await this.server.close()
  }
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGCONT')
  child.kill(signal)
  await ended
}

/** Repeats a check until it holds. */
export async function waitUntil(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isTrue())) await sleep(50)
}
