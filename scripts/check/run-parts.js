import { spawn } from 'node:child_process'

/**
 * Runs commands of a shell side by side, at most `limit` at once, in the order of the list. A part with `after` waits
 * until that part has ended; one with `needs` does not run if that part failed. Prints a line for each part as it ends,
 * below it the output of a part that failed. Resolves to the number of parts that did not pass.
 *
 * @param {{ name: string, command: string, after?: string, needs?: string }[]} parts
 * @param {{ limit: number, print: (text: string) => void, signal: AbortSignal }} options
 */
export async function runParts(parts, { limit, print, signal }) {
  const waiting = [...parts]
  const running = new Set()
  const passed = new Map()
  const isReady = ({ after, needs }) => [after, needs].every((name) => !name || passed.has(name))
  while (!signal.aborted) {
    for (let next = takeNext(); next; next = takeNext()) start(next)
    if (running.size === 0) break
    await Promise.race(running)
  }
  await Promise.all(running)
  return parts.filter(({ name }) => passed.get(name) !== true).length

  function takeNext() {
    const index = running.size < limit && !signal.aborted ? waiting.findIndex(isReady) : -1
    return index === -1 ? undefined : waiting.splice(index, 1)[0]
  }

  function start(part) {
    if (part.needs && passed.get(part.needs) === false) {
      passed.set(part.name, false)
      print(`not run            ${part.name}: it needs ${part.needs}\n`)
      return
    }
    const run = finish(part).finally(() => running.delete(run))
    running.add(run)
  }

  async function finish(part) {
    passed.set(part.name, await runPart(part, { print, signal }))
  }
}

/** Resolves to whether a command exited with 0. */
function runPart({ name, command }, { print, signal }) {
  const begin = performance.now()
  // A process group of its own: the end of the shell alone would leave the programs that it started.
  const child = spawn('sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL')
    } catch {
      // All of its processes have ended.
    }
  }
  signal.addEventListener('abort', kill)
  const output = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text) => output.push(text))
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill)
      if (!signal.aborted) {
        const seconds = ((performance.now() - begin) / 1000).toFixed(1).padStart(6)
        print(`${code === 0 ? 'ok      ' : 'failed  '} ${seconds} s  ${name}\n`)
        if (code !== 0 && output.length > 0) print(output.join('').replace(/\n*$/, '\n'))
      }
      resolve(code === 0)
    })
  })
}
