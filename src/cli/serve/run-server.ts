import type { RunningServer } from '../../server/serve.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openServerLog, readGrace } from './read-options.ts'

/** Serves until a signal. */
export async function runServer(context: Context, call: CommandLine): Promise<number> {
  const graceMs = readGrace(call)
  const log = await openServerLog(context, call)
  let closeBrowser = () => {}
  try {
    const { openServer } = await import('./open-server.ts')
    const reloads = listenForReloads(context)
    const { server, link, drained } = await openServer(context, call, log)
    reloads.start(server)
    if (getFlagOption(call, 'open') && server.consoleUrl !== undefined) {
      const { openConsoleInBrowser } = await import('./console-link.ts')
      closeBrowser = await openConsoleInBrowser(context, { url: server.consoleUrl, link })
    }
    await Promise.race([waitUntilStopped(context.signal), drained ?? new Promise(() => {})])
    context.note('Stopping: waiting for runs to finish; press Ctrl-C to end them')
    await server.stop(graceMs)
  } finally {
    closeBrowser()
    log.flush?.()
  }
  return 0
}

/** Passes SIGHUP to the server. One that arrives during the start takes effect after it. */
function listenForReloads(context: Context): { start(server: RunningServer): void } {
  let server: RunningServer | undefined
  let isDue = false
  context.handleReload?.(() => {
    if (server) void server.reload()
    else isDue = true
  })
  return {
    start(started) {
      server = started
      if (isDue) void server.reload()
    },
  }
}

function waitUntilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
}
