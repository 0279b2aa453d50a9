import { setTimeout as sleep } from 'node:timers/promises'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { pickSentCall } from '../../../src/fleet/messages/call-messages.ts'
import { digestCall } from '../../../src/fleet/messages/fence.ts'
import type { Worker } from '../../../src/fleet/worker/worker.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { readHistories, type HistoryEntry } from '../checker/history.ts'
import { openStubWorker } from '../checker/open-stub-worker.ts'
import { createHistoryFolder, initFleet } from '../checker/stub-fleet.ts'
import { openTestFront, type TestFront, type TestFrontOptions } from '../checker/test-front.ts'
import { wrapCreate } from './wrap-create.ts'

/** One worker and two fronts in this process, whose fences a test can delay. */
export class CallFleet {
  readonly server: TestServer
  readonly fronts: { front1: TestFront; front2: TestFront }
  readonly dir: string
  #worker: Worker
  #engine: Engine
  #remove: () => void
  #delays: DelaySettings

  static async start(front1: Omit<TestFrontOptions, 'dir'> = {}): Promise<CallFleet> {
    const server = await startNatsServer()
    const { url } = server
    await initFleet(url)
    const { dir, remove } = createHistoryFolder()
    const options = { servers: url, name: 'w1', tenant: 'main', patienceMs: 30_000 }
    const engine = await openEngine(options)
    const delays: DelaySettings = { ms: 0, count: 0 }
    const wrapEngine = (each: Engine) => delayFences(each, delays)
    const fronts = {
      front1: await openTestFront(url, 'front1', { dir, ...front1 }),
      front2: await openTestFront(url, 'front2', { dir }),
    }
    const worker = openStubWorker(engine, { name: 'w1', places: 8, dir, wrapEngine })
    const fleet = new CallFleet({ server, fronts, dir, worker, engine, remove, delays })
    while (Object.values(fronts).some(({ workers }) => workers.all.length === 0)) await sleep(20)
    return fleet
  }

  private constructor(parts: {
    server: TestServer
    fronts: CallFleet['fronts']
    dir: string
    worker: Worker
    engine: Engine
    remove: () => void
    delays: DelaySettings
  }) {
    this.server = parts.server
    this.fronts = parts.fronts
    this.dir = parts.dir
    this.#worker = parts.worker
    this.#engine = parts.engine
    this.#remove = parts.remove
    this.#delays = parts.delays
  }

  /** Delays the next fences of the worker; all of them without a count. */
  delayFences(ms: number, count = Infinity): void {
    Object.assign(this.#delays, { ms, count })
  }

  /** Fences are not delayed any more. */
  reset(): void {
    this.delayFences(0)
  }

  createCall(runId: string = createRunId()): RunCall {
    return { env: {}, cwd: '/', runId, caller: { name: 'test' } }
  }

  /** The digest that the fence of a call has. */
  digest(ms: number): string {
    return digestCall('run_code', { ms }, pickSentCall(this.createCall()))
  }

  async run(front: 'front1' | 'front2', id: string, ms: number): Promise<string> {
    return await this.fronts[front].run(id, ms)
  }

  begins(id: string): number {
    return this.attempts(id).length
  }

  /** The attempts that began. */
  attempts(id: string): number[] {
    return readHistories(this.dir)
      .filter((entry): entry is Begin => entry.t === 'begin' && entry.call === id)
      .map(({ attempt }) => attempt)
  }

  async waitForBegin(id: string): Promise<void> {
    while (this.begins(id) === 0) await sleep(20)
  }

  async close(): Promise<void> {
    await this.#worker.finish(1000)
    this.#worker.stop()
    await this.#engine.close()
    await Promise.all(Object.values(this.fronts).map(async (front) => await front.close()))
    await this.server.close()
    this.#remove()
  }
}

type Begin = Extract<HistoryEntry, { t: 'begin' | 'end' }>

interface DelaySettings {
  ms: number
  count: number
}

function delayFences(engine: Engine, delays: DelaySettings): Engine {
  return wrapCreate(engine, async (write, ...args) => {
    if (args[0] === 'calls' && delays.count > 0) {
      delays.count -= 1
      await sleep(delays.ms)
    }
    return await write(...args)
  })
}
