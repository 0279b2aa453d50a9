// 64 calls of execute_skill at the same moment: each answered with its own argument, or refused with
// -32003; and how soon a server that was killed in the middle answers again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServe } from './start.js'

const CALLS = 64
const ROUNDS = 3
const MANIFEST = `name = "bench.echo"
version = "1.0.0"
description = "Answers what it is given."
kind = "action"

[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
`

export async function measureCrowd() {
  const server = await startServe(echoFolder(), { node: [] })
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

/** From the start of the process to the first answer, after a SIGKILL in the middle of runs. */
export async function measureRestart() {
  const dir = echoFolder()
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

/** Whether a call was answered with what it said; false where it was refused as too many. */
async function echo(port, text) {
  const call = { jsonrpc: '2.0', id: text, method: 'execute_skill' }
  const response = await fetch(`http://127.0.0.1:${port}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...call, params: { name: 'bench.echo', args: { text } } }),
  })
  const { id, result, error } = await response.json()
  if (id === text && error?.code === -32003) return false
  if (id === text && result?.output?.text === text) return true
  throw new Error(`"${text}" was answered with ${JSON.stringify({ id, result, error })}`)
}

function echoFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'skills-bench-crowd-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  const skill = join(dir, 'skills', 'echo')
  mkdirSync(join(skill, 'code'), { recursive: true })
  writeFileSync(join(skill, 'skill.toml'), MANIFEST)
  writeFileSync(join(skill, 'SKILL.md'), '# Echo\n')
  writeFileSync(join(skill, 'code', 'main.py'), 'def main(args):\n    return args\n')
  return dir
}
