// Runs the fast tests on other versions of Node: npm run test:node -- 22 24. The registry ships each
// version as a package per platform; they are kept in node_modules/.cache. Everything else goes to vitest.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The newest releases that the tests passed on, by major version. */
const VERSIONS = { 22: '22.23.3', 24: '24.21.0' }

const root = fileURLToPath(new URL('../', import.meta.url))
const isMajor = (argument) => /^\d+$/.test(argument)
const majors = process.argv.slice(2).filter(isMajor)
const options = process.argv.slice(2).filter((argument) => !isMajor(argument))
const unknown = majors.find((major) => !VERSIONS[major])
if (majors.length === 0 || unknown) {
  const problem = unknown ? `Node ${unknown} is not listed here` : 'No version of Node is named'
  console.error(`${problem}. Type: npm run test:node -- ${Object.keys(VERSIONS).join(' ')}`)
  process.exit(2)
}
for (const major of majors) {
  const bin = `${installNode(VERSIONS[major])}/bin`
  console.log(`\nNode ${VERSIONS[major]}`)
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  const { status } = spawnSync(`${bin}/node`, ['scripts/test.js', ...options], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}

/** The folder of a version of Node, installed without its scripts. */
function installNode(version) {
  const name = `node-${process.platform}-${process.arch}`
  const folder = `${root}node_modules/.cache/node-${version}`
  const installed = `${folder}/node_modules/${name}`
  if (existsSync(`${installed}/bin/node`)) return installed
  mkdirSync(folder, { recursive: true })
  const argv = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit']
  const { status } = spawnSync('npm', [...argv, '--no-fund', `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) {
    console.error(`Node ${version} could not be installed: npm ended with ${status}.`)
    process.exit(3)
  }
  return installed
}
