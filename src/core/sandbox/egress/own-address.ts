import { createSocket, type Socket } from 'node:dgram'
import { BlockList, isIP } from 'node:net'

/** Any port; no packet is sent to it. */
const PORT = 9
const NO_ROUTE: readonly string[] = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']

/**
 * True if an address belongs to this machine now, by the kernel's routes: the kernel selects the
 * address itself as the source of a connection to it. Interfaces alone would miss local routes. An
 * address that cannot be checked counts as own; one without a route cannot be reached at all.
 */
export function isOwnAddress(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
    const finish = (isOwn: boolean) => {
      socket.removeAllListeners('error').on('error', () => {})
      socket.close()
      resolve(isOwn)
    }
    socket.once('error', (error: NodeJS.ErrnoException) =>
      finish(!NO_ROUTE.includes(error.code ?? '')),
    )
    socket.connect(PORT, address, () => finish(isSource(socket, address)))
  })
}

function isSource(socket: Socket, address: string): boolean {
  const source = new BlockList()
  const { address: from, family } = socket.address()
  source.addAddress(from, family === 'IPv6' ? 'ipv6' : 'ipv4')
  return source.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
