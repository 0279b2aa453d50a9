import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Refusal } from './decision.ts'
import { readDestination, type Destination } from './destination.ts'
import type { Gate } from './gate.ts'
import type { Tunnel } from './http-door.ts'
import { denyTls, readBeginning, splice, type Beginning, type Patience } from './tunnel.ts'

const NOT_TLS: Refusal = {
  reason: 'not-tls',
  message: 'Something else than TLS was sent to a destination that is listed with https',
}

/** Where code that knows no proxy connected to. */
interface Dialled {
  client: Socket
  port: number
  /** The name that the address stands for. */
  name: string | undefined
  first: Buffer
}

/** Lets TLS through to the name that its handshake asks for; nothing is decrypted. */
export class TlsDoor {
  #gate: Gate
  #headMs: number

  constructor(gate: Gate, { headMs }: Patience) {
    this.#gate = gate
    this.#headMs = headMs
  }

  /** Takes over a tunnel: what is said in it must be TLS with the tunnel's own destination. */
  async takeTunnel({ client, upstream, destination, head }: Tunnel): Promise<void> {
    const end = () => upstream.destroy()
    client.once('close', end)
    const begun = await readBeginning(client, head, this.#headMs)
    if (!begun) return void client.destroy()
    const problem = whyNotFor(begun, destination)
    if (problem) {
      this.#gate.refuse('proxy', problem, destination)
      upstream.destroy()
      return deny(client, problem)
    }
    client.off('close', end)
    splice(client, upstream, begun.bytes)
  }

  /** Takes over a connection whose destination stands in its handshake only. */
  async takeDirect({ client, port, name, first }: Dialled): Promise<void> {
    const begun = await readBeginning(client, first, this.#headMs)
    if (!begun) return void client.destroy()
    const host = name ?? begun.serverName ?? client.localAddress ?? ''
    const asked = readDestination('https', `${host}:${port}`)
    if ('reason' in asked) return deny(client, this.#gate.refuse('direct', asked))
    const problem = whyNotFor(begun, asked)
    if (problem) return deny(client, this.#gate.refuse('direct', problem, asked))
    const upstream = await this.#gate.connect('direct', asked)
    if ('reason' in upstream || 'unreachable' in upstream) return denyTls(client)
    if (client.destroyed) return void upstream.destroy()
    splice(client, upstream, begun.bytes)
  }
}

function deny(client: Duplex, { reason }: Refusal): void {
  if (reason === 'not-tls') client.destroy()
  else denyTls(client)
}

/** A name must be asked for by itself; an address has none. */
function whyNotFor({ isTls, serverName }: Beginning, { host }: Destination): Refusal | undefined {
  if (!isTls) return NOT_TLS
  if (isIP(host) !== 0 && serverName === undefined) return undefined
  const named = serverName === undefined ? undefined : readDestination('https', serverName)
  const hasPort = serverName?.includes(':') ?? false
  if (named && 'host' in named && named.host === host && !hasPort) return undefined
  const message = `The TLS handshake asks for another name than ${host}`
  return { reason: 'name-mismatch', message }
}
