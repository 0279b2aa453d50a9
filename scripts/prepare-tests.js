// The sandbox suites need bubblewrap: installs it where that is allowed, else says what to type.
import { spawnSync } from 'node:child_process'
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
