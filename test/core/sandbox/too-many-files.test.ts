import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BIN, BUILT_MODULES } from '../../helpers/built.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { createFolder } from '../../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const OPTIONS = `{ stdio: Array.from({ length: 8 }, () => 'pipe') }`

/** Starts a program in a process that has four file descriptors left and lives on for a moment. */
function startWithFew(call: string) {
  const script = `
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { spawnGuest } from '${ROOT}src/core/sandbox/guest-host/spawn-guest.ts'
const held = []
try { for (;;) held.push(openSync('/dev/null', 'r')) } catch {}
for (const fd of held.splice(0, 4)) closeSync(fd)
let message = 'started'
try { ${call} } catch (error) { message = error.message }
for (const fd of held) closeSync(fd)
await setTimeout(50)
console.log(message)`
  const node = [
    process.execPath,
    '--import',
    BUILT_MODULES,
    '--input-type=module',
    '--eval',
    script,
  ]
  const words = ['-c', 'ulimit -n 200; exec "$@"', 'sh', ...node]
  return spawnSync('/bin/sh', words, { encoding: 'utf8', cwd: ROOT, timeout: 60_000 })
}

it('a process without a free file descriptor reports the failed start and survives', () => {
  const { stdout, status } = startWithFew(`spawnGuest(['/bin/true'], ${OPTIONS})`)
  expect([stdout, status]).toEqual([
    'The runtime has no free file descriptors; try again later\n',
    0,
  ])
  // Without a listener for the error, Node ends the process.
  const bare = startWithFew(`spawn('/bin/true', [], ${OPTIONS})`)
  expect(bare.stderr).toContain('EMFILE')
  expect(bare.status).not.toBe(0)
})

it('a command without enough file descriptors names the limit, and not the interpreter', () => {
  const home = createFolder()
  const code = 'def main(args): return 1'
  const line = ['-c', 'ulimit -n 56; exec "$@"', 'sh', process.execPath, BIN, 'run-code', '--code']
  const { stderr, status } = spawnSync('/bin/sh', [...line, code], {
    encoding: 'utf8',
    cwd: home,
    env: { ...INHERITED_ENV, HOME: home },
    timeout: 60_000,
  })
  expect(stderr).toContain('The runtime has no free file descriptors')
  expect(stderr).toContain('at least 256 for one command: ulimit -n')
  expect(stderr).not.toContain('Install Python')
  expect(status).not.toBe(0)
})
