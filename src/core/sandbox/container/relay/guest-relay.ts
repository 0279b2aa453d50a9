import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { SandboxNetwork } from '../../network.ts'
import {
  encodeRelayFrame,
  FIRST_CONNECTION,
  OPCODES,
  RelayFrameReader,
  STREAMS,
  type RelayFrame,
} from './frames.ts'
import { RelayedNetwork } from './relayed-network.ts'
import { RelayedStream, type SendFrame } from './relayed-stream.ts'

/** More than the guest's relay opens at once. */
const MAX_CONNECTIONS = 192
/** More than the windows of all streams together. */
const MAX_UNSENT = 16 * 1024 ** 2
const NOTHING = Buffer.alloc(0)

/** The host's side of a guest whose streams all pass through its stdin and stdout. */
export class GuestRelay {
  /** Resolves when the guest's relay answers; never if it does not start. */
  readonly connected: Promise<void>
  readonly control: RelayedStream
  readonly channel: RelayedStream
  readonly stdout: RelayedStream
  readonly stderr: RelayedStream
  readonly stdin: RelayedStream
  /** The files that the guest returns, after its last frame. */
  readonly files = new PassThrough()
  #isReturning = false
  #isDone = false
  #streams = new Map<number, RelayedStream>()
  #reader = new RelayFrameReader()
  #toGuest: Writable
  #network: RelayedNetwork | undefined
  #options: GuestRelayOptions
  #lastConnection = FIRST_CONNECTION - 1
  #unbound = 0

  constructor(fromGuest: Readable, toGuest: Writable, options: GuestRelayOptions) {
    this.#toGuest = toGuest
    this.#options = options
    this.control = this.#addStream(STREAMS.control)
    this.channel = this.#addStream(STREAMS.channel)
    this.stdout = this.#addStream(STREAMS.stdout)
    this.stderr = this.#addStream(STREAMS.stderr)
    this.stdin = this.#addStream(STREAMS.stdin)
    if (options.network) this.#network = new RelayedNetwork(options.network, this.#send)
    toGuest.on('error', () => {})
    this.connected = new Promise((resolve) => {
      fromGuest.on('data', (chunk: Buffer) => {
        if (this.#isReturning) return this.#receiveFiles(fromGuest, chunk)
        this.#receive(chunk)
        if (this.#reader.hasGreeted) resolve()
      })
    })
    fromGuest.once('end', () => this.#end()).once('close', () => this.#end())
  }

  /** True after the guest's last frame: all output has arrived. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Requests the guest's counters, which are passed to `onStatus`. */
  watch(): void {
    this.#send(OPCODES.watch, 0)
  }

  /** Closes the guest's stdin, on which the guest ends its run. */
  close(): void {
    this.#toGuest.destroy()
  }

  /** Closes the guest's stdin after all that was written, for a guest that returns its files then. */
  end(): void {
    this.#toGuest.end()
  }

  #send: SendFrame = (opcode, stream, content = NOTHING) => {
    if (!this.#toGuest.writable || this.#isDone) return
    this.#toGuest.write(encodeRelayFrame(opcode, stream, content))
    if (this.#toGuest.writableLength > MAX_UNSENT) this.#fail()
  }

  #addStream(number: number, localAddress?: string): RelayedStream {
    const stream = new RelayedStream(number, {
      send: this.#send,
      onClose: () => this.#streams.delete(number),
      localAddress,
    })
    this.#streams.set(number, stream)
    return stream
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.read(chunk)) this.#handle(frame)
    } catch {
      // The guest's first process does not send such bytes.
      this.#fail()
    }
  }

  #receiveFiles(fromGuest: Readable, chunk: Buffer): void {
    if (this.files.write(chunk) || this.files.destroyed) return
    fromGuest.pause()
    const resume = () => fromGuest.resume()
    this.files.once('drain', resume).once('close', resume)
  }

  #startReturning(): void {
    if (this.#options.returnsFiles !== true) throw new Error('files of a run that has mounts')
    this.#isReturning = true
    this.files.write(this.#reader.takeRest())
  }

  #fail(): void {
    this.close()
    this.#options.onViolation()
  }

  #handle({ opcode, stream: number, content }: RelayFrame): void {
    if (opcode === OPCODES.files) return this.#startReturning()
    if (this.#isDone) throw new Error('a frame after the last one')
    if (opcode === OPCODES.done) return this.#confirmDone()
    if (opcode === OPCODES.open) return this.#openConnection(number, content)
    if (opcode === OPCODES.datagram) return this.#network?.receiveDatagram(content)
    if (opcode === OPCODES.status) return this.#options.onStatus(content.toString('latin1'))
    if (opcode === OPCODES.unbound) return this.#reportUnbound(content.toString('utf8'))
    if (!STREAM_OPCODES.has(opcode)) throw new Error('an unknown frame')
    // A connection may have been closed by this side already.
    const stream = this.#streams.get(number)
    if (stream) receiveFrame(stream, opcode, content)
  }

  /** podman discards output of a container that exits with unread input, so none follows. */
  #confirmDone(): void {
    this.#send(OPCODES.done, 0)
    this.#isDone = true
  }

  #openConnection(number: number, content: Buffer): void {
    if (number <= this.#lastConnection) throw new Error('a number is used twice')
    this.#lastConnection = number
    const hasSpace = this.#streams.size < MAX_CONNECTIONS
    const isServed =
      hasSpace && this.#network?.open(content, (address) => this.#addStream(number, address))
    if (!isServed) this.#send(OPCODES.reset, number)
  }

  #reportUnbound(what: string): void {
    const { network } = this.#options
    const most = network ? network.listeners.length + network.addresses.length : 0
    this.#unbound += 1
    if (this.#unbound > most) throw new Error('more sockets than requested')
    network?.reportUnbound(what)
  }

  #end(): void {
    for (const [number, stream] of this.#streams) {
      if (number < FIRST_CONNECTION) stream.receiveLoss()
      else stream.destroy()
    }
    this.stdin.destroy()
    this.files.end()
    this.#toGuest.destroy()
  }
}

const STREAM_OPCODES: ReadonlySet<number> = new Set([
  OPCODES.data,
  OPCODES.credit,
  OPCODES.end,
  OPCODES.reset,
])

function receiveFrame(stream: RelayedStream, opcode: number, content: Buffer): void {
  if (opcode === OPCODES.data) stream.receiveData(content)
  else if (opcode === OPCODES.credit) stream.receiveCredit(content)
  else if (opcode === OPCODES.end) stream.receiveEnd()
  else stream.receiveReset()
}

export interface GuestRelayOptions {
  network: SandboxNetwork | undefined
  /** True for a guest whose files are copies. */
  returnsFiles?: boolean
  /** Receives the guest's counters. */
  onStatus(status: string): void
  /** Called if the guest sends bytes that the relay does not. */
  onViolation(): void
}
