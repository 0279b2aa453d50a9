import { Duplex, PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ControlChannel } from '../../../src/core/sandbox/guest-host/control-channel.ts'

it.each(['no JSON', 'null', '7', '[', '"x"', '{"__proto__": {"up": true}}'])(
  'a message that the guest did not write does not end the host: %s',
  async (line) => {
    const wire = new PassThrough()
    const channel = new ControlChannel(wire)
    wire.write(`${line}\n{"ready": {"uid": 7}}\n{"exit": 0, "signal": null}\n`)
    expect(await channel.ready).toEqual({ uid: 7 })
    expect(channel.exitReport.exit).toBe(0)
    expect(Object.getPrototypeOf(channel.exitReport)).toBe(Object.prototype)
  },
)

async function receive(line: string): Promise<ControlChannel> {
  const socket = new PassThrough()
  const channel = new ControlChannel(socket)
  socket.write(`${line}\n`)
  await new Promise((resolve) => setImmediate(resolve))
  return channel
}

it('a report of the first process is taken as it is', async () => {
  const { exitReport } = await receive('{"exit":null,"signal":9,"cpu_ms":31}')
  expect(exitReport).toEqual({ exit: null, signal: 9, cpu_ms: 31 })
})

it.each([
  '5',
  'null',
  '{"signal":"9"}',
  '{"failure":{}}',
  '{"ready":{"uid":"0"}}',
  '{"not_started":{"step":1}}',
])('a report with values of other types is a failure: %s', async (line) => {
  const { exitReport } = await receive(line)
  expect(exitReport).toEqual({ failure: 'a message did not come from the guest' })
})

describe('the addresses that a guest is asked to take', () => {
  const request = (network: Parameters<ControlChannel['requestListeners']>[0]) => {
    const chunks: Buffer[] = []
    const socket = new Duplex({
      read() {},
      write(chunk: Buffer, _, done) {
        chunks.push(chunk)
        done()
      },
    })
    new ControlChannel(socket).requestListeners(network)
    const bytes = Buffer.concat(chunks)
    return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32BE(at * 4))
  }

  it('never stand for every address because a list has 0.0.0.0', () => {
    const numbers = request({ listeners: [], addresses: ['0.0.0.0', '192.0.2.1'] })
    expect(numbers.slice(1)).toEqual([0, 1, 0xc0_00_02_01])
  })

  it('stand for every address of a network of trials', () => {
    expect(request({ listeners: [], addresses: [], ownsEveryAddress: true }).slice(1)).toEqual([
      0, 1, 0,
    ])
  })
})
