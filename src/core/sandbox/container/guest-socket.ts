import { chmodSync, closeSync, constants, openSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'

/** The two connections that a guest opens before any skill code runs. */
interface GuestSocket {
  /** Resolves when the guest has opened both; further connections are refused. */
  connected: Promise<{ control: Socket; channel: Socket }>
  close(): void
}

/** Listens in a folder that only the guest of one run can see. */
export async function listenForGuest(dir: string, name: string): Promise<GuestSocket> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  // Opens the folder because a socket path is limited to about 100 bytes, which the folder's own
  // path may exceed.
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
  // The guest has another user id. Only that guest can reach the socket, because of the folders
  // above it.
  chmodSync(path, 0o666)
  closeSync(fd)
  return { connected, close: () => server.close() }
}
