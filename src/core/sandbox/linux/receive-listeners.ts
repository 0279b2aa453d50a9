import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:dgram'
import type { Server } from 'node:net'
import type { SandboxNetwork } from '../network.ts'

/**
 * Receives the sockets that the guest binds, over Node's IPC channel for handles: they stay in the
 * sandbox's network namespace, but only this process holds them.
 */
export function receiveListeners(child: ChildProcess, network: SandboxNetwork): void {
  let missing = network.listeners.length
  child.on('message', (message: { listener?: number; missing?: string }, socket) => {
    if (message.missing !== undefined) network.reportUnbound(message.missing)
    const listener = network.listeners[message.listener ?? -1]
    if (!listener) return
    if (socket) network.serve(listener, socket as Server | Socket)
    missing -= 1
    // The guest also closes its end before it reads the job.
    if (missing === 0 && child.connected) child.disconnect()
  })
}
