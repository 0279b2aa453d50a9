// @module-tag slow
import { PassThrough } from 'node:stream'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseNetworkEntry } from '../../../../src/core/skills/manifest/network-entry.ts'
import { Egress } from '../../../../src/core/sandbox/egress/egress.ts'
import { parsePrivateExceptions } from '../../../../src/core/sandbox/egress/private-exceptions.ts'
import type { SandboxNetwork } from '../../../../src/core/sandbox/network.ts'
import {
  encodeRelayFrame,
  HELLO,
  OPCODES,
  RelayFrameReader,
  STREAMS,
  type RelayFrame,
} from '../../../../src/core/sandbox/container/relay/frames.ts'
import { GuestRelay } from '../../../../src/core/sandbox/container/relay/guest-relay.ts'

const CONNECTION = 16
const WINDOW = 64 * 1024
const PROXY = 0
const LOOPBACK = [127, 0, 0, 1]

/** A guest that this test plays itself, as a process that took over the relay would. */
function playGuest(network?: SandboxNetwork) {
  const fromGuest = new PassThrough()
  const toGuest = new PassThrough()
  const reader = new RelayFrameReader()
  reader.read(HELLO)
  const received: RelayFrame[] = []
  toGuest.on('data', (chunk: Buffer) => received.push(...reader.read(chunk)))
  const violated = vi.fn()
  const statuses: string[] = []
  const relay = new GuestRelay(fromGuest, toGuest, {
    network,
    onStatus: (status) => statuses.push(status),
    onViolation: violated,
  })
  const send = (opcode: number, stream: number, content: Buffer | string = '') =>
    void fromGuest.write(encodeRelayFrame(opcode, stream, Buffer.from(content)))
  fromGuest.write(HELLO)
  const open = (stream: number, index = PROXY) =>
    send(OPCODES.open, stream, Buffer.from([index, ...LOOPBACK]))
  const textOf = (stream: number) =>
    received
      .filter((frame) => frame.opcode === OPCODES.data && frame.stream === stream)
      .map(({ content }) => content.toString('latin1'))
      .join('')
  const resets = () =>
    received.filter(({ opcode }) => opcode === OPCODES.reset).map(({ stream }) => stream)
  return { relay, fromGuest, toGuest, received, violated, statuses, send, open, textOf, resets }
}

/** Serves each connection with a handler instead of the egress. */
function serveWith(onConnection: (connection: PassThrough) => void): SandboxNetwork {
  return {
    listeners: [
      { kind: 'proxy', port: 3128 },
      { kind: 'names', port: 53 },
    ],
    addresses: [],
    certificates: undefined,
    serve: (_listener, socket) => void socket.on('connection', onConnection),
    reportUnbound: () => {},
    close: () => {},
  }
}

const later = async () => await new Promise((resolve) => setTimeout(resolve, 50))

describe('the relay of a container', () => {
  it('lets no writer wait for the credit of a guest that is gone', async () => {
    const guest = playGuest()
    await guest.relay.connected
    const { channel } = guest.relay
    const onDrain = vi.fn()
    channel.on('drain', onDrain)
    expect(channel.write(Buffer.alloc(1024 ** 2))).toBe(false)
    await later()
    expect(onDrain).not.toHaveBeenCalled()
    const sent = guest.textOf(STREAMS.channel).length
    guest.fromGuest.end()
    await vi.waitFor(() => expect(onDrain).toHaveBeenCalled())
    expect(channel.writable).toBe(false)
    expect(guest.textOf(STREAMS.channel)).toHaveLength(sent)
  })

  it('sends nothing to a guest that is gone, however much waits for it', async () => {
    const guest = playGuest()
    await guest.relay.connected
    guest.toGuest.pause()
    guest.relay.stdin.write(Buffer.alloc(32 * 1024 ** 2))
    guest.fromGuest.end()
    await later()
    expect(guest.violated).not.toHaveBeenCalled()
  })

  it('passes data and the end of a stream in both directions', async () => {
    const guest = playGuest()
    await guest.relay.connected
    guest.send(OPCODES.data, STREAMS.stdout, 'out')
    guest.send(OPCODES.end, STREAMS.stdout)
    const output: Buffer[] = []
    for await (const chunk of guest.relay.stdout) output.push(chunk as Buffer)
    expect(Buffer.concat(output).toString()).toBe('out')
    guest.relay.stdin.end('in')
    await later()
    expect(guest.textOf(STREAMS.stdin)).toBe('in')
    expect(guest.received.at(-1)).toMatchObject({ opcode: OPCODES.end, stream: STREAMS.stdin })
    guest.send(OPCODES.status, 0, '2 1 2 3 4 5 6')
    await later()
    expect(guest.statuses).toEqual(['2 1 2 3 4 5 6'])
  })

  it('sends no more than the guest granted', async () => {
    const guest = playGuest(serveWith((connection) => connection.write(Buffer.alloc(1024 ** 2))))
    guest.open(CONNECTION)
    await later()
    expect(guest.textOf(CONNECTION)).toHaveLength(WINDOW)
    const more = Buffer.alloc(4)
    more.writeUInt32BE(1000)
    guest.send(OPCODES.credit, CONNECTION, more)
    await later()
    expect(guest.textOf(CONNECTION)).toHaveLength(WINDOW + 1000)
  })

  it('buffers one window of a connection that is not read, and ends a run that sends more', async () => {
    const guest = playGuest(serveWith(() => {}))
    guest.open(CONNECTION)
    guest.send(OPCODES.data, CONNECTION, Buffer.alloc(WINDOW))
    await later()
    expect(guest.violated).not.toHaveBeenCalled()
    guest.send(OPCODES.data, CONNECTION, Buffer.alloc(WINDOW))
    guest.send(OPCODES.data, CONNECTION, Buffer.alloc(WINDOW))
    await later()
    expect(guest.violated).toHaveBeenCalled()
  })

  it('passes on more than a window if it is read', async () => {
    const guest = playGuest(serveWith((connection) => connection.resume()))
    guest.open(CONNECTION)
    for (let sent = 0; sent < 20; sent++) {
      guest.send(OPCODES.data, CONNECTION, Buffer.alloc(WINDOW / 2))
      await new Promise(setImmediate)
    }
    await later()
    expect(guest.violated).not.toHaveBeenCalled()
  })

  it('bounds the connections of a run', async () => {
    const guest = playGuest(serveWith(() => {}))
    for (let each = 0; each < 1000; each++) guest.open(CONNECTION + each)
    await later()
    expect(guest.resets().length).toBeGreaterThan(800)
    expect(guest.violated).not.toHaveBeenCalled()
  })

  it.each([
    ['a listener that does not exist', 7],
    ['the name server', 1],
  ])('opens no connection to %s', async (_what, index) => {
    const served = vi.fn()
    const guest = playGuest(serveWith(served))
    guest.open(CONNECTION, index)
    await later()
    expect(served).not.toHaveBeenCalled()
    expect(guest.resets()).toEqual([CONNECTION])
  })

  it.each<[string, (guest: ReturnType<typeof playGuest>) => void]>([
    [
      'uses a number twice',
      (guest) => [CONNECTION, CONNECTION].forEach((each) => guest.open(each)),
    ],
    ['replaces a stream of the run', (guest) => guest.open(STREAMS.control)],
    ['sends an unknown frame', (guest) => guest.send(99, 0)],
    [
      'sends a frame that is too long',
      ({ fromGuest }) => void fromGuest.write(Buffer.alloc(9, 255)),
    ],
    [
      'reports more sockets than it was to bind',
      (guest) => [1, 2, 3].forEach(() => guest.send(OPCODES.unbound, 0, 'port 1')),
    ],
    ['grants bytes without a number', (guest) => guest.send(OPCODES.credit, STREAMS.stdin, 'x')],
  ])('ends a run whose guest %s', async (_what, attack) => {
    const guest = playGuest(serveWith(() => {}))
    await guest.relay.connected
    attack(guest)
    await later()
    expect(guest.violated).toHaveBeenCalled()
  })

  it('confirms the last frame as the last of its own, so that no input is unread', async () => {
    const guest = playGuest()
    await guest.relay.connected
    const credits = () => guest.received.filter(({ opcode }) => opcode === OPCODES.credit).length
    guest.relay.stdout.resume()
    guest.send(OPCODES.data, STREAMS.stdout, 'out')
    await later()
    expect([credits() > 0, guest.relay.isDone]).toEqual([true, false])
    guest.send(OPCODES.data, STREAMS.stderr, 'err')
    guest.send(OPCODES.done, 0)
    await later()
    const count = guest.received.length
    guest.relay.stderr.resume()
    guest.relay.stdin.write('late')
    await later()
    expect(guest.relay.isDone).toBe(true)
    expect(guest.received).toHaveLength(count)
    expect(guest.received.at(-1)).toMatchObject({ opcode: OPCODES.done, stream: 0 })
    guest.send(OPCODES.data, STREAMS.stdout, 'after')
    await later()
    expect(guest.violated).toHaveBeenCalled()
  })

  it('ends a run whose guest does not read the answers that it requests', async () => {
    const answers = {
      ...serveWith(() => {}),
      serve: (_listener: unknown, socket: NodeJS.EventEmitter & { send?: unknown }) =>
        void socket.on('message', (_message, { port, address }) => {
          const { send } = socket as { send: (...reply: unknown[]) => void }
          send.call(socket, Buffer.alloc(512), port, address, () => {})
        }),
    } as SandboxNetwork
    const ask = (guest: ReturnType<typeof playGuest>) => {
      const question = Buffer.from([1, ...LOOPBACK, 0, 99, 0])
      for (let asked = 0; asked < 40_000; asked++) guest.send(OPCODES.datagram, 0, question)
    }
    const reading = playGuest(answers)
    ask(reading)
    const deaf = playGuest(answers)
    deaf.toGuest.pause()
    ask(deaf)
    await expect.poll(() => deaf.violated.mock.calls.length, { timeout: 10_000 }).toBe(1)
    expect(reading.violated).not.toHaveBeenCalled()
  })

  it('lets a guest that took it over reach only the destinations of the run', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nreached'))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const entry = parseNetworkEntry(`http://api.example.test:${port}`)
    const exceptions = parsePrivateExceptions(['127.0.0.1'])
    if ('problem' in entry || 'wrong' in exceptions) throw new Error('not parsed')
    const egress = new Egress({
      entries: [entry],
      exceptions,
      limit: { maxBytes: Infinity, onExceeded: () => {} },
      onDecision: () => {},
      lookup: async () => ['127.0.0.1'],
    })
    onTestFinished(() => egress.close())
    const guest = playGuest({
      ...serveWith(() => {}),
      listeners: egress.listeners,
      serve: (listener, socket) => egress.serve(listener, socket),
    })
    const request = (host: string) =>
      `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`
    const answer = async (stream: number, bytes: string, index = PROXY) => {
      guest.open(stream, index)
      guest.send(OPCODES.data, stream, bytes)
      await expect.poll(() => guest.textOf(stream), { timeout: 5000 }).not.toBe('')
      await later()
      return guest.textOf(stream)
    }
    expect(await answer(CONNECTION, request('api.example.test'))).toMatch(/ 200 OK[^]*reached/)
    for (const [at, host] of ['evil.test', '127.0.0.1', 'localhost'].entries()) {
      expect(await answer(CONNECTION + 1 + at, request(host))).toMatch(/^HTTP\/1.1 403 /)
    }
    const direct = egress.listeners.findIndex(({ kind }) => kind === 'direct')
    const bytes = 'GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n'
    expect(await answer(CONNECTION + 9, bytes, direct)).toMatch(/^HTTP\/1.1 403 /)
  })
})
