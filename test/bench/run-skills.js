// The command-line program in a process of its own, which must succeed.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/skills.js', import.meta.url))

export async function runSkills(cwd, { argv, bin = BIN, node = [] }) {
  const { PATH } = process.env
  const options = { cwd, env: { PATH, HOME: cwd }, stdio: ['ignore', 'ignore', 'pipe'] }
  const child = spawn(process.execPath, [...node, bin, ...argv], options)
  let text = ''
  child.stderr.on('data', (chunk) => (text += chunk))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== 0) throw new Error(`skills ${argv.join(' ')} ended with ${status}: ${text}`)
}
