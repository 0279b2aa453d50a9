import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openNetwork } from '../../../src/core/runs/network/open-network.ts'
import { planNetwork } from '../../../src/core/runs/network/plan-network.ts'
import type { RunEvent } from '../../../src/core/runs/run-call.ts'
import type { RunTrace } from '../../../src/core/runs/trace.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('the network of a run', () => {
  it('does not exist if nothing was granted, whatever the operator allows besides', () => {
    expect(planNetwork([], ['10.0.0.0/8'])).toBeUndefined()
  })

  it.each(['example.com', 'https://*', 'https://*.*.com', 'ssh://example.com', 'https://a b', ''])(
    'is never guessed from "%s"',
    (entry) => {
      expect(() => planNetwork(['https://example.com', entry], [])).toThrow(
        `permissions.network has "${entry}", but `,
      )
    },
  )

  it.each(['com', 'internal', 'co.uk', 'com.au', 'github.io', 's3.amazonaws.com'])(
    'does not contain every name below %s',
    (suffix) => {
      expect(() => planNetwork([`https://*.${suffix}`], [])).toThrow(
        `permissions.network has "https://*.${suffix}", but it allows every host below "${suffix}", which has many owners`,
      )
      expect(planNetwork([`https://*.example.${suffix}`], [])?.entries).toHaveLength(1)
    },
  )

  it('has no more ports than can be served', () => {
    const list = (size: number) =>
      Array.from({ length: size }, (_, at) => `http://example.com:${8000 + at}`)
    expect(planNetwork(list(64), [])?.entries).toHaveLength(64)
    expect(() => planNetwork(list(65), [])).toThrow('more than 64 different ports')
  })
})

const permissions = {
  network: planNetwork(['https://example.test'], []),
  secrets: {},
  masked: [],
  limits: { networkBytes: 1024 ** 2 },
}

describe('network attempts', () => {
  it('are all events, a thousand in the record, and a hundred in the logs', async () => {
    const trace: RunTrace = {}
    const events: RunEvent[] = []
    const notes: string[] = []
    const run = {
      permissions,
      call: { env: {}, onEvent: (event: RunEvent) => events.push(event) },
      trace,
    }
    const network = await openNetwork(run, (text) => notes.push(text))
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    network?.sandbox.serve({ kind: 'names', port: 53 }, server)
    onTestFinished(() => network?.sandbox.close())
    const client = createSocket('udp4')
    onTestFinished(() => void client.close())
    for (let at = 0; at < 1100; at++) {
      client.send(encodeDnsQuestion(`n${at}.test`), server.address().port, '127.0.0.1')
      await once(client, 'message')
    }
    expect(events).toHaveLength(1100)
    expect(trace.network).toHaveLength(1000)
    expect(notes).toHaveLength(101)
    expect(notes.at(-1)).toContain('further attempts are not logged')
  })

  it('use the certificates that the host is configured to trust, else its own', async () => {
    const dir = createFolder({ 'authority.pem': 'x' })
    const open = async (file: string) => {
      const run = {
        permissions,
        call: { env: { SSL_CERT_FILE: file }, onEvent: undefined },
        trace: {},
      }
      const network = await openNetwork(run, () => {})
      network?.sandbox.close()
      return network
    }
    const mine = await open(`${dir}/authority.pem`)
    expect(mine?.sandbox.certificates).toBe(`${dir}/authority.pem`)
    expect(mine?.environment['SSL_CERT_FILE']).toBe('/etc/ssl/certs/ca-certificates.crt')
    expect((await open(`${dir}/none.pem`))?.sandbox.certificates).not.toBe(`${dir}/none.pem`)
  })
})

function encodeDnsQuestion(name: string): Buffer {
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  const head = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, 1, 0, 1])])
}
