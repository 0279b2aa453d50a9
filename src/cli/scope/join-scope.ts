import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { SCOPE_FD } from '../../core/host-programs/systemd-scope.ts'

/**
 * Connects this process to the one that started it in a scope, and ends it with that one. Removes
 * the variable: programs that this process starts are not in this position.
 */
export function joinScope(env: NodeJS.ProcessEnv, variable: string): void {
  const parent = Number(env[variable])
  delete env[variable]
  if (parent !== process.ppid || !isSocket(SCOPE_FD)) return
  const socket = new Socket({ fd: SCOPE_FD })
  socket.on('error', () => {})
  socket.once('close', () => process.kill(process.pid, 'SIGTERM'))
  socket.write('1')
  // The end of the other side is noticed only while this side reads.
  socket.resume()
  socket.unref()
}

function isSocket(fd: number): boolean {
  try {
    return fstatSync(fd).isSocket()
  } catch {
    return false
  }
}
