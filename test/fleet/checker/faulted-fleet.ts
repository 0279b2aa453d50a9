import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { TestCluster } from '../../helpers/fleet/nats-cluster.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { checkHistory, type Violation } from './check-history.ts'
import { openHistory, readHistories, type FaultName, type HistoryEntry } from './history.ts'
import { readStoredCalls } from './read-stored-calls.ts'
import {
  createHistoryFolder,
  initFleet,
  openTestFront,
  startStubFront,
  startStubWorker,
  type StubWorkerProcess,
  type TestFront,
} from './stub-fleet.ts'

export interface Load {
  calls: number
  /** Time over which the calls are spread; 0 for all at once. */
  overMs?: number
  /** Shortest and longest run. */
  ms?: [number, number]
  random?: () => number
}

export interface FaultedFleetOptions {
  config?: string
  places?: number
  diskBytes?: number
  replicas?: number
  /** Time that fronts wait for the engine. */
  patienceMs?: number
}

/** The engine of the fleet: one server, or several that replicate their streams. */
type Engines = TestServer | TestCluster

type WorkerFlavor = Pick<StubWorkerProcess, 'failpoint' | 'minor'>

/** A fleet of stub workers and two fronts, and the faults that tests cause in it. */
export class FaultedFleet {
  readonly servers: readonly TestServer[]
  readonly url: string
  readonly dir: string
  readonly fronts: TestFront[] = []
  readonly workers = new Map<string, ChildProcess>()
  #note: (entry: HistoryEntry) => void
  #remove: () => void
  #children = new Set<ChildProcess>()
  #names = 0

  static async start(workers: number, options: FaultedFleetOptions = {}): Promise<FaultedFleet> {
    const { config = '', diskBytes } = options
    const server = await startNatsServer(config, diskBytes === undefined ? {} : { diskBytes })
    return await FaultedFleet.open(server, workers, options)
  }

  /** Starts a fleet with an engine that runs, and which the fleet closes. */
  static async open(
    server: Engines,
    workers: number,
    { places = 4, replicas = 1, patienceMs }: FaultedFleetOptions = {},
  ): Promise<FaultedFleet> {
    const fleet = new FaultedFleet(server)
    await initFleet(server.url, replicas)
    const names = Array.from({ length: workers }, () => fleet.addWorker(places))
    await Promise.all(names)
    const options = { dir: fleet.dir, ...(patienceMs !== undefined && { patienceMs }) }
    for (const name of ['front1', 'front2'])
      fleet.fronts.push(await openTestFront(server.url, name, options))
    await fleet.waitForWorkers(workers)
    return fleet
  }

  constructor(engines: Engines) {
    this.servers = 'members' in engines ? engines.members : [engines]
    this.url = engines.url
    const { dir, remove } = createHistoryFolder()
    this.dir = dir
    this.#remove = remove
    this.#note = openHistory(dir, 'faults')
  }

  get server(): TestServer {
    return this.servers[0] as TestServer
  }

  get front(): TestFront {
    return this.fronts[0] as TestFront
  }

  /** Starts a worker with a new name. Returns its name. */
  async addWorker(places = 4, options: WorkerFlavor = {}): Promise<string> {
    const name = `w${++this.#names}`
    await this.startWorker(name, places, options)
    return name
  }

  async startWorker(name: string, places = 4, flavor: WorkerFlavor = {}): Promise<void> {
    const options = { dir: this.dir, places, ...flavor }
    const child = await startStubWorker(this.url, name, options)
    this.#children.add(child)
    this.workers.set(name, child)
  }

  async startFront(name: string): Promise<ChildProcess> {
    const child = await startStubFront(this.url, name, this)
    this.#children.add(child)
    return child
  }

  /** Waits until all fronts hear this number of workers with free places. */
  async waitForWorkers(count: number): Promise<void> {
    const isHeard = ({ workers }: TestFront) =>
      workers.all.filter((view) => workers.isLive(view) && !view.state.isDraining).length >= count
    while (!this.fronts.every(isHeard)) await sleep(50)
  }

  /** Waits until the streams of the engine answer all fronts. */
  async waitForEngine(): Promise<void> {
    while (this.fronts.some(({ engine }) => engine.health.awayMs > 0)) await sleep(50)
  }

  /** Starts workers until there are as many as before the faults. */
  async restoreWorkers(count: number): Promise<void> {
    const missing = count - this.workers.size
    await Promise.all(Array.from({ length: missing }, () => this.addWorker()))
    await this.waitForWorkers(count)
  }

  /** Asks both fronts in turn. Returns the outcomes. */
  async load({ calls, overMs = 0, ms = [20, 300], random = Math.random }: Load): Promise<string[]> {
    const pauseMs = overMs / calls
    return await Promise.all(
      Array.from({ length: calls }, async (_, at) => {
        const [shortest, longest] = ms
        const time = Math.round(shortest + random() * (longest - shortest))
        const front = this.fronts[at % this.fronts.length] as TestFront
        await sleep(at * pauseMs)
        return await front.run(createRunId(), time)
      }),
    )
  }

  noteFault(fault: FaultName, node: string): void {
    this.#note({ t: 'fault', fault, node, at: Date.now() })
  }

  /** Kills a worker and waits for its end. */
  async kill(name: string): Promise<void> {
    await this.#end(name, 'kill', 'SIGKILL')
  }

  /** Ends a worker as systemd does, and waits until its runs have ended. */
  async drain(name: string): Promise<void> {
    await this.#end(name, 'drain', 'SIGTERM')
  }

  /** Waits for the end of a worker that kills itself. */
  async waitForExit(name: string): Promise<void> {
    const child = this.workers.get(name) as ChildProcess
    if (child.signalCode === null) await new Promise((done) => child.once('exit', done))
    this.noteFault('kill', name)
    this.workers.delete(name)
  }

  async #end(name: string, fault: FaultName, signal: NodeJS.Signals): Promise<void> {
    const child = this.workers.get(name) as ChildProcess
    const ended = new Promise((done) => child.once('exit', done))
    this.noteFault(fault, name)
    child.kill(signal)
    await ended
    this.workers.delete(name)
  }

  /** Stops a worker for a while. */
  async pause(name: string, ms: number): Promise<void> {
    const child = this.workers.get(name) as ChildProcess
    this.noteFault('stop', name)
    child.kill('SIGSTOP')
    await sleep(ms)
    child.kill('SIGCONT')
    this.noteFault('continue', name)
  }

  /** Blocks the event loop of a worker for a while. */
  async block(name: string, ms: number): Promise<void> {
    this.noteFault('block', name)
    // A worker that another fault ends has no channel any more.
    this.workers.get(name)?.send(ms, () => {})
    await sleep(ms)
  }

  async killFront(name: string, child: ChildProcess): Promise<void> {
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGKILL')
    await ended
    this.noteFault('kill', name)
  }

  async pauseEngine(ms: number, server: TestServer = this.server): Promise<void> {
    this.noteFault('engine', 'engine')
    server.process.kill('SIGSTOP')
    await sleep(ms)
    server.process.kill('SIGCONT')
  }

  async restartEngine(
    signal: NodeJS.Signals,
    downMs: number,
    server: TestServer = this.server,
  ): Promise<void> {
    this.noteFault('engine', 'engine')
    await server.end(signal)
    await sleep(downMs)
    await server.start()
  }

  get entries(): HistoryEntry[] {
    return readHistories(this.dir)
  }

  /** Compares everything that happened so far with the engine. */
  async check(): Promise<Violation[]> {
    return checkHistory(this.entries, await readStoredCalls(this.front.engine))
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    await Promise.all(this.fronts.map(async (front) => await front.close()))
    for (const server of this.servers) server.process.kill('SIGCONT')
    await Promise.all(this.servers.map(async (server) => await server.close()))
    this.#remove()
  }
}
