// @module-tag readable-clone
import { spawn } from 'node:child_process'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { EgressListener, SandboxNetwork } from '../../../../src/core/sandbox/network.ts'
import { receiveListeners } from '../../../../src/core/sandbox/linux/receive-listeners.ts'

const GUEST = fileURLToPath(new URL('../../../../src/guest/', import.meta.url))

/** Drops all rights, so that this machine's own network stays unchanged. */
const withoutRights =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
    : ['env']

/** Lets a plain process bind these sockets and pass them to this one. */
async function passListeners(
  listeners: readonly EgressListener[],
  addresses: readonly number[] = [],
) {
  const served: Server[] = []
  const missed: string[] = []
  const network: SandboxNetwork = {
    listeners,
    addresses: [],
    certificates: undefined,
    serve: (_, socket) => served.push(socket as Server),
    reportUnbound: (what) => missed.push(what),
    close: () => {},
  }
  const kinds = ['proxy', 'direct', 'names']
  const wanted = listeners.map(({ kind, port }) => [kinds.indexOf(kind), port])
  const code = `import sys; sys.path.insert(0, sys.argv[1])\nimport listeners; listeners.pass_listeners(${JSON.stringify(wanted)}, ${JSON.stringify(addresses)})`
  const [program, ...args] = [...withoutRights, '/usr/bin/python3']
  const child = spawn(program, [...args, '-I', '-S', '-B', '-c', code, GUEST], {
    stdio: [
      'ignore',
      'ignore',
      'pipe',
      ...Array.from({ length: 5 }, () => 'ignore' as const),
      'ipc',
    ],
  })
  receiveListeners(child, network)
  let said = ''
  child.stderr?.on('data', (chunk) => (said += String(chunk)))
  await Promise.all([once(child, 'exit'), once(child.stderr as Readable, 'end')])
  await expect.poll(() => child.connected).toBe(false)
  onTestFinished(() => served.forEach((server) => void server.close()))
  return { served, missed, said }
}

it('a guest passes sockets that it bound to this process, which serves them', async () => {
  const { served, missed, said } = await passListeners([{ kind: 'proxy', port: 0 }])
  expect({ missed, said }).toEqual({ missed: [], said: '' })
  expect(served).toHaveLength(1)
  expect(served.map((server) => server.listening)).toEqual([true])
})

it('a guest continues without a port that is in use, but not without the proxy', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const some = await passListeners([
    { kind: 'proxy', port: 0 },
    { kind: 'direct', port },
  ])
  expect(some).toMatchObject({ missed: [`port ${port}: Address already in use`], said: '' })
  const none = await passListeners([{ kind: 'proxy', port }])
  expect(none.served).toEqual([])
  expect(none.said).toContain('the proxy has no port: Address already in use')
})

it('a guest continues without an address that it may not assign', async () => {
  const passed = await passListeners([{ kind: 'proxy', port: 0 }], [0x0a4d0102])
  expect(passed.missed).toEqual(['address 10.77.1.2: Operation not permitted'])
  expect(passed.served).toHaveLength(1)
})
