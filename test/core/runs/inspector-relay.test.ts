import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openInspectorRelay } from '../../../src/core/runs/debug/inspector-relay.ts'
import { collectUnhandled } from '../../helpers/unhandled.ts'

async function openRelay() {
  const relay = await openInspectorRelay(0)
  onTestFinished(() => relay.close())
  const [folder] = relay.connect(true).tools
  const open = async (where: { port: number; host: string } | { path: string }) => {
    const socket = connect(where as { path: string }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return {
    openClient: async () => await open({ port: relay.port, host: '127.0.0.1' }),
    openGuest: async () => await open({ path: join(folder?.source ?? '', 'socket') }),
  }
}

/** The guest gets one byte as soon as a client has connected, and then the bytes of the client. */
async function expectPair(guest: Socket, client: Socket): Promise<void> {
  const received: Buffer[] = []
  guest.on('data', (chunk: Buffer) => received.push(chunk))
  client.write('question')
  await expect.poll(() => Buffer.concat(received).toString('latin1')).toBe('\u0001question')
  guest.write('answer')
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect(answer.toString()).toBe('answer')
}

it('the port of an inspector survives connections that are reset at any time', async () => {
  const errors = collectUnhandled()
  const { openClient, openGuest } = await openRelay()
  for (let attempt = 0; attempt < 5; attempt++) {
    // Before it has a partner.
    ;(await openClient()).resetAndDestroy()
    await sleep(20)
    const [guest, client] = [await openGuest(), await openClient()]
    guest.pause()
    client.write(Buffer.alloc(3_000_000))
    guest.write(Buffer.alloc(300_000))
    await sleep(20)
    if (attempt % 2 === 0) client.resetAndDestroy()
    else guest.destroy()
    await sleep(20)
  }
  expect(errors).toEqual([])
  await expectPair(await openGuest(), await openClient())
}, 30_000)
