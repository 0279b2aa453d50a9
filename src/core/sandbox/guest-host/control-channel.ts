import type { Duplex } from 'node:stream'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { writeJson } from '../../../util/slices/write-json.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SandboxNetwork } from '../network.ts'
import { encodeUint32 } from './encode-uint32.ts'

/**
 * Identity that the guest takes: another user, its current user, or its current user without
 * confinement.
 */
export type GuestIdentity = { user: number } | 'itself' | 'unconfined'

/** Opcode that is followed by the sockets to bind, and then by the identity. */
const LISTEN_OPCODE = 0xfffffffd
const LISTENER_CODES = { proxy: 0, direct: 1, names: 2, datagrams: 3 }
/** The guest takes it for all addresses. No list of destinations leads to it. */
const EVERY_ADDRESS = 0
const IDENTITY_CODES = { itself: 0xffffffff, unconfined: 0xfffffffe }

/** Identity inside the sandbox, as reported by the kernel. */
export interface ReadyGuest {
  uid: number
  /** True if root's run is in a user namespace of its own. */
  own_users?: boolean
  /** True if Landlock keeps the files outside of the root closed. */
  landlock?: boolean
  /** Mount points of overlays, in which no socket of the host can be reached. */
  views?: readonly string[]
}

/** Outcome reported by the guest's first process; incomplete if it died early. */
export interface ExitReport {
  exit?: number | null
  signal?: number | null
  /** Processor time of the skill's process and of the children that it waited for. */
  cpu_ms?: number
  failure?: string
  /** Step that kept a program from starting, and the kernel's error name. */
  not_started?: { step: string; error: string }
}

/** Connection to the guest's first process. User code never holds its descriptor. */
export class ControlChannel {
  /** Resolves when the guest runs and has dropped all privileges. */
  readonly up: Promise<void>
  /** Resolves when the guest has received its job. */
  readonly ready: Promise<ReadyGuest>
  exitReport: ExitReport = {}
  #socket: Duplex
  /** Pending queries whether the program waits for input. */
  #pendingWaitQueries: ((printed: number | null) => void)[] = []

  constructor(socket: Duplex) {
    this.#socket = socket
    let resolveUp: () => void
    let resolveReady: (inside: ReadyGuest) => void
    this.up = new Promise((resolve) => (resolveUp = resolve))
    this.ready = new Promise((resolve) => (resolveReady = resolve))
    socket.once('close', () => {
      for (const answer of this.#pendingWaitQueries.splice(0)) answer(null)
    })
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const message = parseControlLine(line)
        if (message.up) resolveUp()
        else if (message.ready) resolveReady(message.ready)
        else if (message.waits_after !== undefined)
          this.#pendingWaitQueries.shift()?.(message.waits_after)
        else this.exitReport = { ...this.exitReport, ...message }
      }
    })
  }

  /** Requests sockets, while the guest is still privileged to bind them. */
  requestListeners({
    listeners,
    addresses,
    ownsEveryAddress,
  }: Pick<SandboxNetwork, 'listeners' | 'addresses' | 'ownsEveryAddress'>): void {
    const listenerNumbers = listeners.flatMap(({ kind, port }) => [LISTENER_CODES[kind], port])
    const listed = addresses
      .map((address) => Buffer.from(address.split('.').map(Number)).readUInt32BE())
      .filter((number) => number !== EVERY_ADDRESS)
    const addressNumbers = ownsEveryAddress ? [...listed, EVERY_ADDRESS] : listed
    const all = [
      LISTEN_OPCODE,
      listeners.length,
      ...listenerNumbers,
      addressNumbers.length,
      ...addressNumbers,
    ]
    for (const number of all) this.#socket.write(encodeUint32(number))
  }

  setIdentity(identity: GuestIdentity): void {
    this.#socket.write(
      encodeUint32(typeof identity === 'string' ? IDENTITY_CODES[identity] : identity.user),
    )
  }

  async sendJob(job: PlainObject): Promise<void> {
    const chunks: Buffer[] = []
    await runInSlices(writeJson(job, (bytes) => void chunks.push(bytes)))
    const size = chunks.reduce((sum, { length }) => sum + length, 0)
    // The guest may have ended in the meantime.
    if (!this.#socket.writable) return
    const first = Buffer.concat([encodeUint32(size), ...chunks.slice(0, 1)])
    for (const bytes of [first, ...chunks.slice(1)]) this.#socket.write(bytes)
    // For a fork, the mount plan is corked until here, so that the fork wakes up only once.
    this.#socket.uncork()
  }

  /** Resizes the terminal. This and the following commands require a running program. */
  resize(columns: number, rows: number): void {
    const command = Buffer.alloc(5, 'R')
    command.writeUInt16BE(columns, 1)
    command.writeUInt16BE(rows, 3)
    this.#writeCommand(command)
  }

  signal(number: number): void {
    this.#writeCommand(Buffer.from([...Buffer.from('S'), number]))
  }

  /**
   * Bytes of output that preceded the current wait for input; null if the program does not wait.
   */
  waitsAfter(): Promise<number | null> {
    if (!this.#socket.writable) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#pendingWaitQueries.push(resolve)
      this.#writeCommand(Buffer.from('W'))
    })
  }

  #writeCommand(command: Buffer): void {
    if (this.#socket.writable) this.#socket.write(command)
  }
}

/** A report of the guest's first process. */
type ControlMessage = ExitReport & { up?: true; ready?: ReadyGuest; waits_after?: number | null }

/** Without isolation, another process may have obtained the other end. */
function parseControlLine(line: string): ControlMessage {
  try {
    const message = JSON.parse(line) as ControlMessage
    if (isControlMessage(message)) return message
  } catch {
    // Reported like other messages of another process.
  }
  return { failure: 'a message did not come from the guest' }
}

/** Members whose values programs rely on; others are ignored. */
function isControlMessage(message: ControlMessage): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { ready, waits_after: waitsAfter, exit, signal, cpu_ms: cpuMs } = message
  const { failure, not_started: notStarted } = message
  return (
    (ready === undefined || isReadyGuest(ready)) &&
    [waitsAfter, exit, signal].every((each) => (each ?? null) === null || isCount(each)) &&
    (cpuMs === undefined || (typeof cpuMs === 'number' && cpuMs >= 0)) &&
    (failure === undefined || typeof failure === 'string') &&
    (notStarted === undefined || isStep(notStarted))
  )
}

function isReadyGuest(ready: ReadyGuest): boolean {
  const { uid, views = [] } = Object(ready) as Partial<ReadyGuest>
  return isCount(uid) && Array.isArray(views) && views.every((each) => typeof each === 'string')
}

function isStep(value: unknown): boolean {
  const { step, error } = Object(value) as { step?: unknown; error?: unknown }
  return typeof step === 'string' && typeof error === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
