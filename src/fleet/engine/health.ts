import type { EngineHealth } from './engine.ts'
import { StreamsProbe } from './streams-probe.ts'

/** Time between two probes of the engine. */
const PROBE_MS = 100
/** An engine that takes longer to answer was away. */
const AWAY_MS = 300
/** A probe that takes longer is repeated. */
const PROBE_TIMEOUT_MS = 20_000
/** Others are judged only when the engine has answered for this long. */
const STEADY_MS = 1000

/**
 * Probes the engine. While it is away, or this process was stopped, the messages of others do not arrive
 * either, so their silence means nothing.
 */
export class ProbedHealth implements EngineHealth {
  #probe: () => Promise<void>
  #streams: StreamsProbe
  #answeredAt = performance.now()
  #isConnected = true
  #isStopped = false
  #endedAwayMs = 0
  backAt: number = performance.now()
  roundTripMs = 0

  constructor(probe: () => Promise<void>, readStreams: () => Promise<true>) {
    this.#probe = probe
    this.#streams = new StreamsProbe(readStreams)
    void this.#probeAgain()
  }

  get isAnswering(): boolean {
    return this.#isConnected && performance.now() - this.#answeredAt < PROBE_MS + AWAY_MS
  }

  get awayMs(): number {
    const silentMs = this.isAnswering ? 0 : performance.now() - this.#answeredAt
    return Math.max(silentMs, this.#streams.awayMs)
  }

  get isSteady(): boolean {
    return this.isAnswering && performance.now() - this.backAt > STEADY_MS
  }

  get totalAwayMs(): number {
    const silentMs = performance.now() - this.#answeredAt
    return this.#endedAwayMs + (isAway(silentMs) ? silentMs : 0)
  }

  /** Notes that the connection was lost, or that it returned. */
  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected
    if (!isConnected) return
    this.backAt = performance.now()
    void this.#streams.readNow()
  }

  stop(): void {
    this.#isStopped = true
    this.#streams.stop()
  }

  async #probeAgain(): Promise<void> {
    while (!this.#isStopped) {
      const sentAt = performance.now()
      const gap = sentAt - this.#answeredAt
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((done) => {
        timer = setTimeout(done, PROBE_TIMEOUT_MS).unref()
      })
      let isAnswered = true
      await Promise.race([this.#probe().catch(() => void (isAnswered = false)), timeout])
      clearTimeout(timer)
      const now = performance.now()
      if (now - sentAt > AWAY_MS || gap > PROBE_MS + AWAY_MS || !isAnswered) this.backAt = now
      if (isAnswered) {
        const silentMs = now - this.#answeredAt
        if (isAway(silentMs)) this.#endedAwayMs += silentMs
        this.roundTripMs = now - sentAt
        this.#answeredAt = now
      }
      await new Promise<void>((done) => void setTimeout(done, PROBE_MS).unref())
    }
  }
}

function isAway(silentMs: number): boolean {
  return silentMs > PROBE_MS + AWAY_MS
}
