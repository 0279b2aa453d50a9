// @module-tag slow
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BIN } from '../../helpers/built.ts'
import { listDescendants, TextSearch } from '../../helpers/search-memory.ts'
import { writeTree } from '../../helpers/skills.ts'
import { CERTIFICATE, KEY } from '../sandbox/egress/certificate.ts'

const isRoot = process.getuid?.() === 0
const VALUE = 'ghp_Zr4Kq81mVx7TgB2nYc5Lw9Hd3Js6Pf0Ua'
const plain = new TextSearch(new Map([['plain', Buffer.from(VALUE)]]))
const CODE = `
import json, os, ssl, urllib.request

def main(args):
    key = os.environ["CRM_API_KEY"]
    request = urllib.request.Request(args["url"], headers={"Authorization": "Bearer " + key})
    context = None if args.get("trusts", True) else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with urllib.request.urlopen(request, context=context) as response:
        return {"key": key, "answer": json.load(response)}
`

const dir = mkdtempSync(join(tmpdir(), 'skills-masked-'))
const received: IncomingHttpHeaders[] = []
/** Called while the run waits for its answer. */
let whileWaiting: (() => void) | undefined
const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
  received.push(request.headers)
  whileWaiting?.()
  response.end(JSON.stringify({ echo: request.headers.authorization }))
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  const listSkill = (folder: string, secrets: string) => ({
    [`${folder}/skills/crm/skill.toml`]: `name = "crm"\nversion = "0.1.0"\ndescription = "Calls the CRM"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nadditional_inputs = true\n[inputs.url]\ntype = "string"\n[permissions]\nnetwork = ["https://localhost:${port}"]\n${secrets}`,
    [`${folder}/skills/crm/SKILL.md`]: '---\nname: crm\ndescription: Calls the CRM.\n---\n# CRM\n',
    [`${folder}/skills/crm/code/main.py`]: CODE,
  })
  writeTree(dir, {
    ...listSkill('masked', `[permissions.secrets]\nCRM_API_KEY = "https://localhost:${port}"\n`),
    ...listSkill('inside', 'secrets = ["CRM_API_KEY"]\n'),
    'authority.pem': CERTIFICATE,
    'secrets.env': `CRM_API_KEY=${VALUE}\n`,
  })
  writeSettings('')
})

afterAll(() => {
  server.close()
  rmSync(dir, { recursive: true, force: true })
})

function writeSettings(run: string): void {
  const settings = `${run}[run.network]\nallow_private = ["localhost:${port}"]\n`
  writeTree(dir, { '.config/skills/config.toml': settings })
}

/** Runs the skill; `search` gets the processes of the run while it waits for an answer. */
async function runSkill(
  folder: string,
  {
    search,
    more = [],
    args: own = {},
  }: { search?: (pids: readonly number[]) => void; more?: readonly string[]; args?: object } = {},
) {
  const args = JSON.stringify({ url: `https://localhost:${port}/`, ...own })
  const words = ['exec', 'crm', '--args', args, '--allow-network', '--json', ...more]
  const child = spawn(process.execPath, [BIN, ...words, '--secrets-file', `${dir}/secrets.env`], {
    cwd: `${dir}/${folder}`,
    env: { PATH: process.env['PATH'], HOME: dir, SSL_CERT_FILE: `${dir}/authority.pem` },
  })
  child.stdin.end()
  whileWaiting = search && (() => search(listDescendants(child.pid ?? 0)))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  whileWaiting = undefined
  return { stdout, stderr }
}

describe('a secret with hosts', () => {
  it('arrives at its host, and comes back as the stand-in', async () => {
    const { stdout, stderr } = await runSkill('masked')
    expect(received.at(-1)?.authorization).toBe(`Bearer ${VALUE}`)
    const { output } = JSON.parse(stdout) as { output: { key: string; answer: { echo: string } } }
    expect(output.key).toMatch(/^ghp_/)
    expect(output.key).toHaveLength(VALUE.length)
    expect(output.answer.echo).toBe(`Bearer ${output.key}`)
    expect(stdout + stderr).not.toContain(VALUE)
  })

  it.runIf(isRoot)('is in no memory of the run, where one without hosts is found', async () => {
    const found: Record<string, number[]> = {}
    for (const folder of ['inside', 'masked']) {
      await runSkill(folder, {
        search: (pids) => (found[folder] = pids.filter((pid) => plain.findInProcess(pid).size > 0)),
      })
    }
    // The search itself works.
    expect(found['inside']?.length).toBeGreaterThan(0)
    expect(found['masked']).toEqual([])
  })

  it('is why a client fails that does not trust the authority of the run, as its result says', async () => {
    const { stdout } = await runSkill('masked', { args: { trusts: false } })
    const { error } = JSON.parse(stdout) as { error: { message: string; hint: string } }
    expect(error.message).toContain('certificate verify failed')
    expect(error.hint).toMatch(/^The client ended a connection to localhost without a request\./)
    expect(error.hint).toContain('declare the secret without hosts if the client pins certificates')
  })

  it('is said to be inside without hosts', async () => {
    const { stderr } = await runSkill('inside')
    expect(stderr).toContain('The value of CRM_API_KEY is inside of the sandbox')
  })

  it('is shown by --dry-run', async () => {
    const { stdout } = await runSkill('masked', { more: ['--dry-run'] })
    const hosts = { CRM_API_KEY: [`https://localhost:${port}`] }
    expect(JSON.parse(stdout)).toMatchObject({ secret_hosts: hosts })
  })

  it('is required by run.secrets = "masked"', async () => {
    writeSettings('[run]\nsecrets = "masked"\n')
    const refused = await runSkill('inside')
    expect(refused.stderr + refused.stdout).toContain('The secret CRM_API_KEY has no hosts')
    expect(JSON.parse((await runSkill('masked')).stdout)).toMatchObject({ status: 'completed' })
  })
})
