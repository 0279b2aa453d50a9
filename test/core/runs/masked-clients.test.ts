// @module-tag slow
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INHERITS_FAST_PATHS } from '../../helpers/inherited-env.ts'
import { listDescendants, TextSearch } from '../../helpers/search-memory.ts'
import { startServe } from '../../helpers/served.ts'
import { createCallers } from '../../helpers/server.ts'
import { writeTree } from '../../helpers/skills.ts'
import { CERTIFICATE, KEY } from '../sandbox/egress/certificate.ts'
import { prepareSecretClients, SECRET_CLIENTS } from './masked-clients.ts'
import { listSecretForms } from './secret-forms.ts'

const isRoot = process.getuid?.() === 0
const VALUE = 'ghp_Zr4Kq81mVx7T/B2nYc5+w9Hd3Js6Pf0Ua'
const FORMS = listSecretForms(VALUE)
const search = new TextSearch(FORMS)
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
const RESOLVER = new URL('../sandbox/egress/resolver.mjs', import.meta.url).href
const DIRECT = 'unset HTTPS_PROXY HTTP_PROXY https_proxy http_proxy;'

/** Runs the commands at once, and keeps what they get in a blob. */
const CODE = `
import os, subprocess, time
from concurrent.futures import ThreadPoolExecutor
from runtime import blobs

def run(command):
    done = subprocess.run(["bash", "-c", command], cwd=os.path.dirname(__file__) + "/clients",
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
    return [done.returncode, done.stdout[-20:].strip(), done.stderr[-150:] if done.returncode else ""]

def main(args):
    planted = [bytes(byte ^ 85 for byte in bytes.fromhex(each)) for each in args.get("planted", [])]
    mark = "-".join(["mark", "of", "the", "fork"])
    time.sleep(args.get("seconds", 0))
    kept = blobs.write_text(str(dict(os.environ)))
    commands = args.get("commands", {})
    with ThreadPoolExecutor(50) as pool:
        results = dict(zip(commands, pool.map(run, commands.values())))
    return {"key": os.environ.get("CRM_API_KEY"), "results": results, "kept": [kept, len(planted), mark]}
`

interface ClientRun {
  run_id: string
  output: {
    key: string
    results: Record<string, [code: number, printed: string, errors: string]>
    kept: [blob: string, ...unknown[]]
  }
  isolation: { path: string }
}

const dir = mkdtempSync('/tmp/skills-clients-')
const received = new Map<string, string[]>()
/** Answers of clients that wait for each other, so that all are searched at once. */
let waiting: { answers: (() => void)[]; count: number; answerAll(): void } | undefined
const server = createSecureServer({ key: KEY, cert: CERTIFICATE, allowHTTP1: true })
server.on('request', (request, response) => {
  const path = request.url.split('?')[0] ?? ''
  received.set(path, [...(received.get(path) ?? []), String(request.headers.authorization)])
  const answer = () => void response.end(`${'0'.repeat(40)}\trefs/heads/main\n`)
  if (!waiting) return answer()
  waiting.answers.push(answer)
  if (waiting.answers.length === waiting.count) waiting.answerAll()
})
let origin = ''
let missing = new Map<string, string>()

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `https://api.example.test:${port}`
  const addSkill = (name: string, permissions: string) => {
    writeTree(`${dir}/skills/${name}`, {
      'skill.toml': `name = "${name}"\nversion = "0.1.0"\ndescription = "Calls the CRM"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nadditional_inputs = true\n[permissions]\n${permissions}`,
      'SKILL.md': `---\nname: ${name}\ndescription: Calls the CRM.\n---\n# CRM\n`,
      'code/main.py': CODE,
      'code/clients/.keep': '',
    })
  }
  const network = `network = ["${origin}"]\n`
  const hosts = `[permissions.secrets]\nCRM_API_KEY = "${origin}"\n`
  addSkill('masked', network + hosts)
  addSkill('inside', `${network}secrets = ["CRM_API_KEY"]\n`)
  addSkill('offline', hosts)
  addSkill('planted', network)
  missing = prepareSecretClients(`${dir}/skills/masked/code/clients`, PATH)
  writeTree(dir, {
    'authority.pem': CERTIFICATE,
    'secrets.env': `CRM_API_KEY=${VALUE}\n`,
    'settings.toml': `[run]
host_packages = true
code_inherits_permissions = true
timeout = "300s"
max_timeout = "300s"
[run.limits]
cpu_time = "300s"
memory = "3 GiB"
processes = 1000
[run.network]
allow_private = ["127.0.0.1:${port}"]
`,
  })
  chmodSync(dir, 0o755)
}, 120_000)

afterAll(() => {
  server.close()
  rmSync(dir, { recursive: true, force: true })
})

/** Starts a server of this user, with a folder for all that it writes. */
async function serveAs(user: string, whenDone: (end: () => void) => void) {
  const home = join(dir, user.replaceAll(' ', '-'))
  writeTree(home, { '.keep': '' })
  chmodSync(home, 0o777)
  const asUser = 'set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
  const files = { 'secrets-file': 'secrets.env', config: 'settings.toml', root: 'skills' }
  const words = Object.entries(files).flatMap(([name, file]) => [`--${name}`, join(dir, file)])
  const env = {
    PATH,
    TMPDIR: home,
    SSL_CERT_FILE: `${dir}/authority.pem`,
    NODE_OPTIONS: `--import=${RESOLVER}`,
  }
  const served = await startServe(
    ['--allow-network', ...words],
    { cwd: home, env, ...(isRoot && user !== 'root' && { limits: asUser }) },
    whenDone,
  )
  return { ...served, ...createCallers(served.url), home }
}

const USERS = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user']
const WAYS = ['a cold run', 'a kernel'] as const
const NO_MEMORY = 'not run: only root reads the memory of all processes'

describe.each(USERS)('a secret with hosts, in the sandbox of %s', (user) => {
  let at: Awaited<ReturnType<typeof serveAs>>
  let end = () => {}
  /** Blobs of the runs that have the value inside. */
  const inside: string[] = []
  beforeAll(async () => {
    at = await serveAs(user, (stop) => (end = stop))
  })
  afterAll(() => end())

  /** Searches all memory of all processes of runs. */
  function searchRuns(by = search): { forms: Set<string>; processes: number } {
    const pids = isRoot ? listDescendants(at.process.pid ?? 0) : []
    const forms = new Set<string>()
    for (const pid of pids) by.findInProcess(pid, forms)
    return { forms, processes: pids.length }
  }

  /** Calls `main` of the skill, in the second cell of a kernel if it is that way. */
  async function run(way: (typeof WAYS)[number], skill: string, args: object): Promise<ClientRun> {
    const cell = { language: 'python', kernel: skill, mount_skills: [skill] }
    if (way === 'a kernel') await at.result('run_code', { ...cell, code: 'import json' })
    const answer =
      way === 'a kernel'
        ? await at.result('run_code', {
            ...cell,
            args,
            code: `from skills.${skill}.main import main\nmain(args)`,
          })
        : await at.result('execute_skill', { name: skill, args })
    if (answer['status'] !== 'completed') throw new Error(JSON.stringify(answer))
    return answer as unknown as ClientRun
  }

  /** Searches the memory of a run when all of its clients wait for their answers. */
  async function runAndSearch(
    way: (typeof WAYS)[number],
    skill: string,
    args: { commands: object; planted?: object },
  ) {
    let found = searchRuns()
    const answerAll = () => {
      found = searchRuns()
      const { answers = [] } = waiting ?? {}
      waiting = undefined
      for (const answer of answers) answer()
    }
    waiting = { answers: [], count: Object.keys(args.commands).length, answerAll }
    // A client that makes no request would let the others wait.
    const timer = setTimeout(answerAll, 100_000)
    const answer = await run(way, skill, args)
    clearTimeout(timer)
    return { answer, ...found }
  }

  describe.each(WAYS)('by %s', (way) => {
    // Each client is tried with and without the proxy, cold and warm, by root and by another user.
    const isDirect = (user === 'root') === (way === 'a kernel')
    const pathOf = (name: string) =>
      `/${name.replaceAll(/\W+/g, '-')}/${user === 'root'}/${isDirect}`
    const present = () => SECRET_CLIENTS.filter(({ name }) => !missing.has(name))
    let ran: Awaited<ReturnType<typeof runAndSearch>>

    beforeAll(async () => {
      const commands = present().map(({ name, command }) => [
        name,
        `${isDirect ? DIRECT : ''} URL='${origin}${pathOf(name)}'; ${command}`,
      ])
      ran = await runAndSearch(way, 'masked', { commands: Object.fromEntries(commands) })
    }, 300_000)

    it.for(SECRET_CLIENTS)(
      `arrives from $name${isDirect ? ', without a proxy' : ''}`,
      ({ name }, { skip }) => {
        skip(missing.has(name), missing.get(name))
        expect(ran.answer.output.results[name]).toEqual([0, expect.stringMatching(/200$/), ''])
        const arrived = received.get(pathOf(name)) ?? received.get(`${pathOf(name)}/info/refs`)
        expect(new Set(arrived)).toEqual(new Set([`Bearer ${VALUE}`]))
      },
    )

    it(`has passed the ${isDirect ? 'direct way' : 'proxy'} of the filter`, async () => {
      const { record } = await at.result('get_run_record', { run_id: ran.answer.run_id })
      const { network } = record as { network: { via: string }[] }
      const count = (wanted: string) => network.filter(({ via }) => via === wanted).length
      const least = present().filter(({ usesProxy }) => usesProxy === true || isDirect).length
      expect(count(isDirect ? 'direct' : 'proxy')).toBeGreaterThanOrEqual(least)
      if (isDirect) expect(count('proxy')).toBe(0)
    })

    it('is in no memory of a process, in no form', ({ skip }) => {
      skip(!isRoot, NO_MEMORY)
      expect(ran.processes).toBeGreaterThan(present().length)
      expect(ran.forms).toEqual(new Set())
    })

    it('is a stand-in for the code', () => {
      expect(ran.answer.output.key).toMatch(/^ghp_.{33}$/)
      expect(search.find(Buffer.from(JSON.stringify(ran.answer)))).toEqual(new Set())
    })

    it('is found in memory if its value is inside', async ({ skip }) => {
      skip(!isRoot, NO_MEMORY)
      const { answer, forms } = await runAndSearch(way, 'inside', {
        commands: { curl: `curl -sS ${origin}` },
      })
      expect(forms).toContain('plain (0)')
      inside.push(answer.output.kept[0])
      if (way === 'a kernel') await at.result('kernel', { action: 'end', kernel: 'inside' })
    })
  })

  it('is found in every form that a run has in its memory', async ({ skip }) => {
    skip(!isRoot, NO_MEMORY)
    expect(FORMS.size).toBeGreaterThan(37)
    const planted = [...FORMS.values()].map((form) =>
      Buffer.from(form.map((byte) => byte ^ 85)).toString('hex'),
    )
    const { forms } = await runAndSearch('a cold run', 'planted', {
      planted,
      commands: { curl: `curl -sS ${origin}` },
    })
    expect([...FORMS.keys()].filter((name) => !forms.has(name))).toEqual([])
  })

  it('is a stand-in in a fork, which has no network', async ({ skip }) => {
    skip(!isRoot, NO_MEMORY)
    const mark = new TextSearch(new Map([['mark', Buffer.from('mark-of-the-fork')]]))
    const forked = run('a cold run', 'offline', { seconds: 5 })
    await expect.poll(() => searchRuns(mark).forms, { timeout: 20_000 }).toContain('mark')
    expect(searchRuns().forms).toEqual(new Set())
    const { output, isolation } = await forked
    expect(output.key).toMatch(/^ghp_.{33}$/)
    if (INHERITS_FAST_PATHS) expect(isolation.path).toBe('warm')
  })

  it('is in no file, record, blob or log of the server', () => {
    const files = readdirSync(at.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const found = files.filter((path) => search.find(readFileSync(path)).size > 0)
    // The control: blobs are never redacted, and those of the runs with the value inside have it.
    expect(found.map((path) => `blob:${basename(dirname(path))}`).sort()).toEqual(inside.sort())
    expect(search.find(Buffer.from(at.stderr()))).toEqual(new Set())
  })
})
