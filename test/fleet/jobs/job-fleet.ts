import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { checkHistory, type Violation } from '../checker/check-history.ts'
import type { Failpoint } from '../checker/failpoint.ts'
import { openHistory, readHistories, type HistoryEntry } from '../checker/history.ts'
import { readStoredCalls } from '../checker/read-stored-calls.ts'
import { createHistoryFolder, startChild } from '../checker/stub-fleet.ts'
import { openJobFront, type JobFront, type JobFrontOptions } from './job-front.ts'

const WORKER = fileURLToPath(new URL('stub-job-worker.ts', import.meta.url))
const DAY_MS = 86_400_000
/** Jobs of a killed worker are delivered again soon. */
const ACK_WAIT_MS = 3000

/** A fleet whose stub workers pull jobs, and the faults that tests cause in it. */
export class JobFleet {
  readonly server: TestServer
  readonly dir: string
  readonly keyFile: string
  readonly fronts: JobFront[] = []
  #workers = new Map<string, ChildProcess>()
  #children = new Set<ChildProcess>()
  #note: (entry: HistoryEntry) => void
  #remove: () => void

  static async start({ maxJobs = 1000 }: { maxJobs?: number } = {}): Promise<JobFleet> {
    const fleet = new JobFleet(await startNatsServer())
    const options = { servers: fleet.server.url, name: 'init', tenant: 'main', patienceMs: 5000 }
    const engine = await openEngine(options)
    const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
    await initAssets(engine, { lifetimes, replicas: 1, maxJobs, ackWaitMs: ACK_WAIT_MS })
    await engine.close()
    return fleet
  }

  private constructor(server: TestServer) {
    this.server = server
    const { dir, remove } = createHistoryFolder()
    this.dir = dir
    this.#remove = remove
    this.#note = openHistory(dir, 'faults')
    this.keyFile = join(dir, 'fleet.key')
    writeFileSync(this.keyFile, randomBytes(32).toString('base64'), { mode: 0o600 })
  }

  async addFront(name: string, options: Omit<JobFrontOptions, 'dir'> = {}): Promise<JobFront> {
    const all = { keyFile: this.keyFile, dir: this.dir, ...options }
    const front = await openJobFront(this.server.url, name, all)
    this.fronts.push(front)
    return front
  }

  async addWorker(
    name: string,
    { places = 2, failpoint, hasKey = true }: WorkerSetup = {},
  ): Promise<void> {
    const env = { ...process.env, ...(failpoint && { SKILLS_FAILPOINT: failpoint }) }
    const args = [this.server.url, name, String(places), this.dir, hasKey ? this.keyFile : '']
    const child = await startChild(WORKER, args, env)
    this.#children.add(child)
    this.#workers.set(name, child)
  }

  /** Waits until a run has begun. Returns the names of the workers where it did. */
  async waitForBegin(id: string): Promise<string[]> {
    while (this.begins(id).length === 0) await sleep(20)
    return this.begins(id)
  }

  /** Names of the workers where a run began, with repetitions. */
  begins(id: string): string[] {
    return this.entries.flatMap((entry) =>
      entry.t === 'begin' && entry.call === id ? [entry.node] : [],
    )
  }

  get entries(): HistoryEntry[] {
    return readHistories(this.dir)
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#workers.get(name)?.kill(signal)
  }

  async kill(name: string): Promise<void> {
    this.#note({ t: 'fault', fault: 'kill', node: name, at: Date.now() })
    await this.#end(name, 'SIGKILL')
  }

  /** Ends a worker as systemd does. */
  async drain(name: string): Promise<void> {
    this.#note({ t: 'fault', fault: 'drain', node: name, at: Date.now() })
    await this.#end(name, 'SIGTERM')
  }

  /** Waits for the end of a worker that kills itself. */
  async waitForExit(name: string): Promise<void> {
    const child = this.#workers.get(name) as ChildProcess
    if (child.signalCode === null) await new Promise((done) => child.once('exit', done))
    this.#note({ t: 'fault', fault: 'kill', node: name, at: Date.now() })
  }

  async restartEngine(downMs: number): Promise<void> {
    await this.server.end('SIGKILL')
    await sleep(downMs)
    await this.server.start()
  }

  /** Compares what happened so far with the engine. */
  async check(): Promise<Violation[]> {
    const [front] = this.fronts
    return front ? checkHistory(this.entries, await readStoredCalls(front.engine)) : []
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    await Promise.all(this.fronts.map(async (front) => await front.close()))
    await this.server.close()
    this.#remove()
  }

  async #end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#workers.get(name) as ChildProcess
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await ended
    this.#workers.delete(name)
  }
}

interface WorkerSetup {
  places?: number
  failpoint?: Failpoint
  hasKey?: boolean
}
