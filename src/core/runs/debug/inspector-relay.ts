import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'

/** Port of the inspector of Node, if no other is requested. */
const DEFAULT_PORT = 9229
const LOOPBACK = '127.0.0.1'
/** Tells the guest that a client has connected. */
const CLIENT_MARK = Buffer.from([1])
const SOCKET_NAME = 'socket'
/** Path of the folder with the socket inside. */
const GUEST_FOLDER = '/inspector'

/** A port of this machine's loopback interface that leads to the same port of a sandbox. */
export interface InspectorRelay {
  port: number
  /** Describes the guest's side. Without a network of its own, it uses the port itself. */
  connect(hasOwnNetwork: boolean): GuestInspector
  close(): void
}

interface GuestInspector {
  inspect: { port: number; socket: string | null }
  tools: readonly { source: string; target: string; isLive?: boolean }[]
}

/** Opens the port; undefined is the usual one, or another if that is taken. */
export async function openInspectorRelay(port: number | undefined): Promise<InspectorRelay> {
  // Other users cannot enter the outer folder; the guest, with another user id, sees the inner one.
  const outer = mkdtempSync(join(tmpdir(), 'skills-inspect-'))
  const folder = join(outer, 'guest')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  const pairs = new ConnectionPairs()
  const guests = createServer((socket) => pairs.addGuest(socket))
  const clients = createServer((socket) => pairs.addClient(socket))
  const close = () => {
    for (const each of [guests, clients]) each.close()
    pairs.destroy()
    rmSync(outer, { recursive: true, force: true })
  }
  try {
    await listen(guests, { path: join(folder, SOCKET_NAME) })
    chmodSync(join(folder, SOCKET_NAME), 0o666)
    const openPort = await listenOnPort(clients, port)
    const connect = (hasOwnNetwork: boolean): GuestInspector => {
      if (hasOwnNetwork) {
        const inspect = { port: openPort, socket: `${GUEST_FOLDER}/${SOCKET_NAME}` }
        return { inspect, tools: [{ source: folder, target: GUEST_FOLDER, isLive: true }] }
      }
      clients.close()
      return { inspect: { port: openPort, socket: null }, tools: [] }
    }
    return { port: openPort, connect, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Joins each client with an idle connection of the guest. */
class ConnectionPairs {
  #guests: Socket[] = []
  #clients: Socket[] = []
  #all = new Set<Socket>()

  addGuest(socket: Socket): void {
    this.#track(socket)
    this.#guests.push(socket)
    this.#join()
  }

  addClient(socket: Socket): void {
    this.#track(socket)
    this.#clients.push(socket)
    this.#join()
  }

  destroy(): void {
    for (const socket of this.#all) socket.destroy()
  }

  #track(socket: Socket): void {
    this.#all.add(socket)
    socket.pause()
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#all.delete(socket)
      this.#guests = this.#guests.filter((each) => each !== socket)
      this.#clients = this.#clients.filter((each) => each !== socket)
    })
  }

  #join(): void {
    while (this.#guests.length > 0 && this.#clients.length > 0) {
      const guest = this.#guests.shift() as Socket
      const client = this.#clients.shift() as Socket
      guest.write(CLIENT_MARK)
      guest.pipe(client)
      client.pipe(guest)
      guest.on('close', () => client.destroy())
      client.on('close', () => guest.destroy())
    }
  }
}

async function listenOnPort(server: Server, port: number | undefined): Promise<number> {
  try {
    await listen(server, { port: port ?? DEFAULT_PORT, host: LOOPBACK })
  } catch (error) {
    if (port !== undefined) throw portTakenError(port, error as NodeJS.ErrnoException)
    await listen(server, { port: 0, host: LOOPBACK })
  }
  const address = server.address()
  return typeof address === 'object' && address ? address.port : DEFAULT_PORT
}

function listen(server: Server, where: object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      // A connection that is not accepted must not end this process.
      server.on('error', () => {})
      resolve()
    })
  })
}

function portTakenError(port: number, cause: NodeJS.ErrnoException): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `Port ${port} of this machine cannot be used for the inspector (${cause.code ?? 'unknown'})`,
    { hint: 'Choose another with --inspect=<port>', cause },
  )
}
