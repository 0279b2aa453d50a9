import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
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
