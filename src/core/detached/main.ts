import process from 'node:process'
import type { FromRunner, ToRunner } from '../runs/detached/runner-message.ts'
import { runDetached, type RunnerChannel } from './run-detached.ts'

/**
 * Process boundary of a runner. Its parent sends one request. The run continues when the parent is
 * gone, once it has begun.
 */
function main(): void {
  const cancelling = new AbortController()
  const cancel = () => cancelling.abort()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, cancel)
  // Resolves when the last message left this process.
  let sent: Promise<void> = Promise.resolve()
  const channel: RunnerChannel = {
    cancelling: cancelling.signal,
    onParentGone: (listener) => void process.once('disconnect', listener),
    isConnected: () => process.connected,
    send(message: FromRunner) {
      // A parent that is gone needs no message.
      if (!process.connected) return
      sent = new Promise((resolve) => {
        process.send?.(message, undefined, undefined, () => resolve())
      })
    },
    onSlot: undefined,
  }
  const leave = async () => {
    await sent
    if (process.connected) process.disconnect()
  }
  process.on('message', (message: ToRunner) => {
    if (message.type === 'cancel') cancel()
    else if (message.type === 'slot') channel.onSlot?.(message)
    // A run whose end cannot be stored is reported as interrupted.
    else
      void runDetached(channel, message.request)
        .catch(() => {})
        .then(leave)
  })
  channel.send({ type: 'ready' })
}

main()
