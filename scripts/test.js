// Runs tests: `npm test` the fast ones, `npm run test:all` all of them. With --matrix, suites try each attack on each
// subject instead of a covering selection. Other arguments go to vitest. Builds the program first, if the sources have
// changed. Nothing is installed, and temporary files are in one folder that is removed.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './source-digest.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const started = Date.now()
const given = process.argv.slice(2)
const isAll = given.includes('--all')
const others = given.filter((argument) => argument !== '--all' && argument !== '--matrix')

if (!isBuilt()) {
  console.log('Building: the sources have changed')
  const built = spawnSync(process.execPath, [`${root}scripts/build.js`], { stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

const folder = mkdtempSync(join(tmpdir(), 'skills-tests-'))
// Tests that become another user create folders in it, as they would in /tmp.
chmodSync(folder, 0o1777)
const argv = [`${root}node_modules/vitest/vitest.mjs`, 'run']
if (!isAll) argv.push('--tags-filter=!slow')
const child = spawn(process.execPath, [...argv, ...others], {
  cwd: root,
  env: {
    ...process.env,
    TMPDIR: folder,
    SKILLS_TESTS_STARTED: String(started),
    ...(given.includes('--matrix') ? { SKILLS_TEST_MATRIX: 'full' } : {}),
    ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  },
  stdio: 'inherit',
})
// A terminal sends its signals to vitest as well, which ends its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('close', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    // A test that was killed may have left a file system mounted in it.
    console.error(`The temporary files of the tests cannot be removed: ${error.message}`)
    process.exitCode ||= 1
  }
})
