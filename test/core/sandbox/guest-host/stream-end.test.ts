import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { waitForStreamEnd } from '../../../../src/core/sandbox/guest-host/child-streams.ts'

// A value would count as the message of a guest that is ready: a guest that was killed before its run began would
// then be reported as a run that was killed.
it('the end of a stream has no value, although a reset socket passes one to its listeners', async () => {
  const server = createServer((peer) => peer.on('error', () => {}).resetAndDestroy())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const socket: Socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.resume()
  const values: unknown[] = []
  socket.once('close', (hadError: boolean) => values.push(hadError))
  values.push(await waitForStreamEnd(socket))
  server.close()
  expect(values).toEqual([true, undefined])
})
