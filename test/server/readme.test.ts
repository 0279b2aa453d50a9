import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startServe } from '../helpers/served.ts'
import { createFolder } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

it('the curl of the README executes a skill of a fresh clone', async () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8')
  const [curl] = /^curl -s http:\/\/127\.0\.0\.1:8080\/rpc [\s\S]*?\}'$/m.exec(readme) ?? []
  expect(curl).toBeDefined()
  const server = await startServe([], { cwd: ROOT, env: { HOME: createFolder() } })
  const script = String(curl).replace('http://127.0.0.1:8080', server.url)
  const { stdout } = await run('bash', ['-c', script])
  expect(JSON.parse(stdout)).toMatchObject({
    id: 1,
    result: { status: 'completed', output: { greeting: 'Hello, Ada!' } },
  })
})
