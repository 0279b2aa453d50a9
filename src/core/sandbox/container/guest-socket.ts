import { chmodSync, closeSync, constants, openSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'

/** The two connections that a guest makes before any code of a skill runs. */
interface GuestSocket {
  /** Resolves when the guest has made both; nobody can connect any more then. */
  connected: Promise<{ control: Socket; channel: Socket }>
  close(): void
}

/** Waits in a folder that only the guest of one run sees. */
export async function listenForGuest(dir: string, name: string): Promise<GuestSocket> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  // The path of a socket may have about a hundred bytes: a folder's may have more.
  const fd = openSync(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const path = `/proc/self/fd/${fd}/${name}`
  const sockets: Socket[] = []
  const server = createServer()
  const connected = new Promise<{ control: Socket; channel: Socket }>((resolve) => {
    server.on('connection', (socket) => {
      sockets.push(socket)
      const [control, channel] = sockets
      if (sockets.length > 2) socket.destroy()
      else if (control && channel) {
        server.close()
        resolve({ control, channel })
      }
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  // The guest is another user; the folders above let nobody else come near.
  chmodSync(path, 0o666)
  closeSync(fd)
  return { connected, close: () => server.close() }
}
