import { EventEmitter } from 'node:events'
import type { EgressListener, SandboxNetwork } from '../../network.ts'
import { OPCODES } from './frames.ts'
import { RelayedStream, type SendFrame } from './relayed-stream.ts'

/** Bytes before the message of a datagram: index of the listener, address and port. */
const DATAGRAM_HEAD = 7

/** A listening socket of the sandbox, with the events of a server that the egress uses. */
class RelayedServer extends EventEmitter {
  listening = true

  close(): void {
    this.listening = false
  }
}

/** The name server's socket of the sandbox. */
class RelayedNameSocket extends EventEmitter {
  isOpen = true
  #index: number
  #send: SendFrame

  constructor(index: number, send: SendFrame) {
    super()
    this.#index = index
    this.#send = send
  }

  // eslint-disable-next-line max-params -- the signature of a datagram socket
  send(message: Buffer, port: number, address: string, done: () => void): void {
    const head = Buffer.from([
      this.#index,
      ...address.split('.').map(Number),
      port >> 8,
      port & 255,
    ])
    if (this.isOpen) this.#send(OPCODES.datagram, 0, Buffer.concat([head, message]))
    done()
  }

  close(): void {
    this.isOpen = false
  }
}

/** The sockets that the guest binds; the egress of the run serves them. */
export class RelayedNetwork {
  #sockets: (RelayedServer | RelayedNameSocket)[]

  constructor(network: SandboxNetwork, send: SendFrame) {
    this.#sockets = network.listeners.map((listener, index) => {
      const socket = createSocket(listener, index, send)
      network.serve(listener, socket as never)
      return socket
    })
  }

  /** Passes on a connection; false if nothing serves it. */
  open(content: Buffer, create: (localAddress: string) => RelayedStream): boolean {
    const server = this.#sockets[content[0] ?? -1]
    if (!(server instanceof RelayedServer) || !server.listening) return false
    server.emit('connection', create([...content.subarray(1, 5)].join('.')))
    return true
  }

  receiveDatagram(content: Buffer): void {
    const socket = this.#sockets[content[0] ?? -1]
    if (!(socket instanceof RelayedNameSocket) || content.length < DATAGRAM_HEAD) return
    if (!socket.isOpen) return
    const address = [...content.subarray(1, 5)].join('.')
    const message = Buffer.from(content.subarray(DATAGRAM_HEAD))
    socket.emit('message', message, { address, port: content.readUInt16BE(5) })
  }
}

function createSocket({ kind }: EgressListener, index: number, send: SendFrame) {
  return kind === 'names' ? new RelayedNameSocket(index, send) : new RelayedServer()
}
