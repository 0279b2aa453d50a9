// Runs through the library of one build, in a process of its own. Both builds stay loaded, and
// only the measured one works.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROCESS = fileURLToPath(new URL('runs-process.js', import.meta.url))

/** Each sample is a number of runs, warm or cold, of which some are active at once. */
export function openRuns(request) {
  return async ({ root }) => {
    const env = { ...process.env, BENCH_DIST: join(root, 'dist') }
    const child = fork(PROCESS, [JSON.stringify(request)], { env })
    const ended = new AbortController()
    child.on('exit', () => ended.abort())
    const receive = async () => (await once(child, 'message', { signal: ended.signal }))[0]
    await receive()
    const measure = async () => {
      child.send('measure')
      return await receive()
    }
    const close = async () => {
      if (ended.signal.aborted) return
      child.send('stop')
      await once(child, 'exit')
    }
    return { measure, close }
  }
}
