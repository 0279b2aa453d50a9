// First call of a fresh server against a cold run of a server without a warm pool: both servers
// have just started, in turns.
import { median, quantile } from '../quantile.js'
import { startServe } from '../serve/start.js'
import { echo, createEchoFolder } from './echo.js'

const ROUNDS = 7

export async function firstCalls() {
  const [warm, cold] = [
    createEchoFolder(),
    createEchoFolder({ 'skills.config.toml': '[run]\nwarm = false\n' }),
  ]
  const times = { fresh: [], cold: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.fresh.push(await firstCall(warm))
    times.cold.push(await firstCall(cold))
  }
  const ratios = times.fresh.map((ms, at) => ms / times.cold[at])
  return [
    {
      arm: 'first call of a server',
      against: 'the same, nothing kept warm',
      median: median(times.fresh) / median(times.cold),
      p95: quantile(ratios, 0.95),
      limit: 1,
    },
  ]
}

async function firstCall(dir) {
  const server = await startServe(dir)
  const start = performance.now()
  await echo(server.port, 'first')
  const ms = performance.now() - start
  await server.stop()
  return ms
}
