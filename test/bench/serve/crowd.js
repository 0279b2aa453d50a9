// 64 concurrent calls of execute_skill: each must return its own argument or be rejected with
// -32003. Also measures how soon a server that was killed during runs answers again.
import { echo, createEchoFolder } from '../warm/echo.js'
import { startServe } from './start.js'

const CALLS = 64
const ROUNDS = 3

export async function measureCrowd() {
  const server = await startServe(createEchoFolder(), { node: [] })
  let [answered, refused] = [0, 0]
  const start = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: CALLS }, (_, at) => echo(server.port, `${round}-${at}`))
    for (const isAnswered of await Promise.all(calls)) {
      if (isAnswered) answered += 1
      else refused += 1
    }
  }
  const ms = performance.now() - start
  await server.stop()
  const lost = ROUNDS * CALLS - answered - refused
  const runsPerSecond = Math.round((answered / ms) * 1000)
  return {
    arm: '64 runs at once',
    unit: 'calls lost',
    max: lost,
    limit: 0,
    answered,
    refused,
    runsPerSecond,
  }
}

/** Time from the start of the process to the first response, after a SIGKILL during runs. */
export async function measureRestart() {
  const dir = createEchoFolder()
  const times = []
  for (let round = 0; round < 5; round++) {
    const server = await startServe(dir)
    const calls = Array.from({ length: 8 }, (_, at) =>
      echo(server.port, String(at)).catch(() => {}),
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    server.child.kill('SIGKILL')
    await Promise.all(calls)
    const start = performance.now()
    const again = await startServe(dir)
    await echo(again.port, 'again')
    times.push(Math.round(performance.now() - start))
    await again.stop()
  }
  return { arm: 'a start after SIGKILL', unit: 'ms', max: Math.max(...times), limit: 1000, times }
}
