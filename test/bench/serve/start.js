// Servers as separate processes that end with the benchmark.
import { spawn } from 'node:child_process'
import { BIN } from '../run-skills.js'

/** Starts `skills serve` in a folder; resolves when it answers. */
export async function startServe(cwd, { bin = BIN, node = [], argv = [] } = {}) {
  const { PATH } = process.env
  const stdio = ['ignore', 'pipe', 'ignore', 'ipc']
  const args = [...node, bin, 'serve', '--port', '0', '--json', '--no-watch', ...argv]
  return await waitUntilStarted(
    spawn(process.execPath, args, { cwd, env: { PATH, HOME: cwd }, stdio }),
  )
}

/** Starts a script that prints `{"port": …}` when it is ready. */
export async function startScript(file) {
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc']
  return await waitUntilStarted(spawn(process.execPath, [file], { stdio }))
}

const living = new Set()
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

async function waitUntilStarted(child) {
  living.add(child)
  child.on('exit', () => living.delete(child))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const line = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.endsWith('\n')) resolve(text)
    })
    void ended.then((status) => reject(new Error(`The server ended with ${status}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { child, stop, port: JSON.parse(line).port }
}
