import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Egress } from '../../../../src/core/sandbox/egress/egress.ts'
import { parsePrivateExceptions } from '../../../../src/core/sandbox/egress/private-exceptions.ts'
import { parseNetworkEntry } from '../../../../src/core/skills/manifest/network-entry.ts'
import type { OwnAddressRequest } from './worker-protocol.ts'

/** Requests a name that resolves to each address, from a server of this network namespace. */
const { addresses, allowPrivate } = JSON.parse(await text(process.stdin)) as OwnAddressRequest

const upstream = createHttpServer((_request, response) => response.end('reached'))
await new Promise<void>((resolve) => upstream.listen(0, '::', resolve))
const { port } = upstream.address() as AddressInfo
const entry = parseNetworkEntry(`http://api.example.test:${port}`)
const exceptions = parsePrivateExceptions(allowPrivate)
if ('problem' in entry || 'wrong' in exceptions) throw new Error('invalid input')

async function request(address: string): Promise<string> {
  const egress = new Egress({
    entries: [entry as Exclude<typeof entry, { problem: string }>],
    exceptions: exceptions as Exclude<typeof exceptions, { wrong: string }>,
    limit: { maxBytes: Infinity, onExceeded: () => {} },
    onDecision: () => {},
    lookup: async () => [address],
  })
  const proxy = createServer()
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  egress.serve({ kind: 'proxy', port: 0 }, proxy)
  const client = connect((proxy.address() as AddressInfo).port, '127.0.0.1')
  const url = `http://api.example.test:${port}/`
  client.write(`GET ${url} HTTP/1.1\r\nHost: api.example.test:${port}\r\nConnection: close\r\n\r\n`)
  const answer = await text(client)
  egress.close()
  return answer.endsWith('reached') ? 'reached' : (/\(([\w-]+)\)\r\n/.exec(answer)?.[1] ?? answer)
}

const answers: Record<string, string> = {}
for (const address of addresses) answers[address] = await request(address)
process.stdout.write(JSON.stringify(answers))
upstream.close()
