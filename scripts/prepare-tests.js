// Installs what the tests need: bubblewrap for the sandbox suites, where this machine allows it; with
// --all also the official MCP tools, whose packages are locked in test/mcp/official.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const hasBubblewrap = () => spawnSync('bwrap', ['--version']).status === 0
if (!hasBubblewrap()) {
  const bin = fileURLToPath(new URL('../bin/skills.js', import.meta.url))
  spawnSync(process.execPath, [bin, 'doctor', '--fix'], { stdio: 'inherit' })
  if (!hasBubblewrap()) {
    console.error('The tests need bubblewrap: install it as "skills doctor" says, then repeat.')
    process.exitCode = 1
  }
}

const official = fileURLToPath(new URL('../test/mcp/official/', import.meta.url))
const isInstalled = existsSync(`${official}node_modules/.package-lock.json`)
if (process.argv.includes('--all') && !isInstalled) {
  const argv = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const installed = spawnSync('npm', argv, { cwd: official, stdio: 'inherit' })
  // Outside CI their tests are skipped with a reason.
  if (installed.status !== 0 && process.env.CI) process.exitCode = 1
}
