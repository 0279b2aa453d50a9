import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const KIB = 1024
/** Streams between Unix sockets that do not count: programs have some to their children. */
const FREE_STREAMS = 64
/** Buffers that a stream takes: its sender may fill one, and add a message of half of it. */
const STREAM_BUFFERS = 1.5
/** Buffers that a socket of datagrams takes: eleven messages of any sender, and those of its peer. */
const DATAGRAM_BUFFERS = 13
const DATAGRAM_TYPE = '0002'
/** A queued byte may be a message of its own, which takes this much. */
const MESSAGE_BYTES = 768
/** Both buffers of a TCP socket, as the guest limits them, and a message beyond each. */
const TCP_BUFFER_BYTES = 640 * KIB
/** Memory by queued bytes in buffers that nothing limits. */
const TCP_FACTOR = 4
/** Memory of the kernel for each TCP socket, even if no process has accepted it. */
const TCP_SOCKET_BYTES = 4 * KIB

/**
 * Counts the memory in the sockets of a run, as an upper bound, from the lists of its network
 * namespace. These also contain sockets that no process has: sent, closed or not accepted. The run
 * must not be able to change the size of a buffer.
 */
export class RunSockets {
  /** An open list belongs to the namespace, whatever its processes do. */
  #lists: ReadonlyMap<string, number>

  constructor(folder: string) {
    const names = ['unix', 'tcp', 'tcp6', 'udp', 'udp6']
    const found = names.filter((name) => existsSync(join(folder, name)))
    this.#lists = new Map(found.map((name) => [name, openSync(join(folder, name), 'r')]))
  }

  measure(): number {
    const tcp = [...listQueues(this.#read('tcp')), ...listQueues(this.#read('tcp6'))]
    const udp = [...listQueues(this.#read('udp')), ...listQueues(this.#read('udp6'))]
    return (
      measureUnixSockets(this.#read('unix')) +
      addUp(tcp.map((queued) => TCP_SOCKET_BYTES + boundTcpBuffers(queued))) +
      // The kernel lists the memory of the queues of UDP.
      addUp(udp)
    )
  }

  close(): void {
    for (const fd of this.#lists.values()) closeSync(fd)
  }

  #read(name: string): string {
    const fd = this.#lists.get(name)
    return fd === undefined ? '' : readFileSync(`/proc/self/fd/${fd}`, 'latin1')
  }
}

/** The kernel does not list what waits in Unix sockets. */
function measureUnixSockets(list: string): number {
  const types = Array.from(list.matchAll(/^[\da-f]+: \S+ \S+ \S+ (\d{4}) /gm), ([, type]) => type)
  const datagrams = types.filter((type) => type === DATAGRAM_TYPE).length
  const streams = Math.max(0, types.length - datagrams - FREE_STREAMS)
  const buffers = datagrams * DATAGRAM_BUFFERS + streams * STREAM_BUFFERS
  if (buffers === 0) return 0
  return buffers * Number(readFileSync('/proc/sys/net/core/wmem_default', 'latin1'))
}

function boundTcpBuffers(queued: number): number {
  return Math.min(queued * MESSAGE_BYTES, Math.max(TCP_BUFFER_BYTES, queued * TCP_FACTOR))
}

/** Lists the bytes in both queues of each socket. */
function listQueues(list: string): number[] {
  return Array.from(
    list.matchAll(/^ *\d+: \S+ \S+ \S+ ([\dA-F]{8}):([\dA-F]{8}) /gm),
    ([, sent = '', received = '']) => Number.parseInt(sent, 16) + Number.parseInt(received, 16),
  )
}

function addUp(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}
