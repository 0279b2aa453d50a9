// The sandbox suites need bubblewrap: installs it where that is allowed, else says what to type. Other
// people's checks of MCP servers have packages of their own, locked in test/mcp/official.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const isThere = () => spawnSync('bwrap', ['--version']).status === 0
if (!isThere()) {
  const bin = fileURLToPath(new URL('../bin/skills.js', import.meta.url))
  spawnSync(process.execPath, [bin, 'doctor', '--fix'], { stdio: 'inherit' })
  if (!isThere()) {
    console.error(
      'The tests need bubblewrap. Install it as "skills doctor" says, then type: npm test',
    )
    process.exitCode = 1
  }
}

const official = fileURLToPath(new URL('../test/mcp/official/', import.meta.url))
if (!existsSync(`${official}node_modules/.package-lock.json`)) {
  const argv = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const installed = spawnSync('npm', argv, { cwd: official, stdio: 'inherit' })
  // Without them their tests are skipped, and say so.
  if (installed.status !== 0 && process.env.CI) process.exitCode = 1
}
