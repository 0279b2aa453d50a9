// Installs what the tests need: bubblewrap for the sandbox suites, where this machine allows it; with
// --all also the official MCP tools and the client of sites, which have locks of their own.
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

for (const name of ['mcp', 'publish']) {
  const cwd = fileURLToPath(new URL(`../test/${name}/official/`, import.meta.url))
  const isInstalled = existsSync(`${cwd}node_modules/.package-lock.json`)
  if (!process.argv.includes('--all') || isInstalled) continue
  const argv = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const installed = spawnSync('npm', argv, { cwd, stdio: 'inherit' })
  // Outside CI their tests are skipped with a reason.
  if (installed.status !== 0 && process.env.CI) process.exitCode = 1
}
