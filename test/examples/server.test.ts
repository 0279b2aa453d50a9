// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { installProgram, runChild, startChild } from '../helpers/child.ts'
import { createFolder } from '../helpers/skills.ts'
import { BUILT_MODULES } from '../helpers/built.ts'

vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLE = join(ROOT, 'examples/server')
const ALICE = 'a'.repeat(64)
const GUEST = 'b'.repeat(64)

/** Starts a copy of the example on a free port. */
async function startExample() {
  const folder = createFolder({ 'tokens.txt': `${ALICE} alice read,run\n${GUEST} guest-1 run\n` })
  chmodSync(join(folder, 'tokens.txt'), 0o600)
  cpSync(EXAMPLE, join(folder, 'examples/server'), { recursive: true })
  cpSync(join(ROOT, 'skills'), join(folder, 'skills'), { recursive: true })
  installProgram(folder)
  const { firstLine } = startChild(
    join(folder, 'examples/server/start.sh'),
    ['--port', '0', '--json'],
    { cwd: folder, env: { HOME: folder, SKILLS_TOKEN_FILE: join(folder, 'tokens.txt') } },
  )
  const { url } = JSON.parse(await firstLine) as { url: string }
  const runClient = async (token: string, name: string, args: object) =>
    await runChild(
      process.execPath,
      ['--import', BUILT_MODULES, 'examples/server/client.ts', name, JSON.stringify(args)],
      { cwd: ROOT, env: { HOME: folder, SKILLS_URL: url, SKILLS_TOKEN: token } },
    )
  return { url, runClient }
}

it('the server requires a token, applies the policy and runs allowed skills', async () => {
  const { url, runClient } = await startExample()

  const request = { jsonrpc: '2.0', id: 1, method: 'list_skills' }
  const withoutToken = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  expect(withoutToken.status).toBe(401)

  const greeting = { summary: 'Hello, Ada!', greeting: 'Hello, Ada!' }
  for (const token of [ALICE, GUEST]) {
    const { code, stdout, stderr } = await runClient(token, 'examples.greet', { name: 'Ada' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(greeting)
  }

  const bars = { values: { a: 1, b: 2 } }
  expect(await runClient(ALICE, 'examples.charts.bars', bars)).toMatchObject({ code: 0 })
  const refused = await runClient(GUEST, 'examples.charts.bars', bars)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('guests run one skill')
})

it('the unit is valid for systemd', async ({ skip }) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    return skip('needs systemd-analyze: apt-get install systemd')
  }
  const unit = readFileSync(join(EXAMPLE, 'skills-server.service'), 'utf8')
  const folder = createFolder({
    'skills-server.service': unit.replace('/srv/skills/start.sh', join(EXAMPLE, 'start.sh')),
  })
  const argv = ['verify', join(folder, 'skills-server.service')]
  const verified = await runChild('systemd-analyze', argv, { cwd: folder, env: {} })
  expect(verified).toEqual({ code: 0, stdout: '', stderr: '' })
})
