import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

const STANDARD = '.config/skills/policy.toml'
const POLICY = `[allow]
languages = ["python", "shell"]
[[rules]]
name = "guests"
when = { tokens = ["guest*"] }
limits = { timeout = "10s" }
[[rules]]
name = "long runs"
when = { longer_than = "8m" }
approve = true
`

/** A home folder with a policy and a project that registers a repository. */
function place(policy = POLICY, tree: Tree = {}) {
  const home = createFolder({
    [STANDARD]: policy,
    'project/skills.config.toml': '[repositories]\napp = "../repo"\ngone = "/no/such"\n',
    'repo/src/x': '',
    ...tree,
  })
  return { cwd: join(home, 'project'), env: { HOME: home }, trusts: true }
}

const check = async (request: object | string, at = place(), ...more: string[]) =>
  await runSkills(
    ['policy', 'check', typeof request === 'string' ? request : JSON.stringify(request), ...more],
    at,
  )

describe('skills policy check', () => {
  it('shows the decision of each layer and the result', async () => {
    const at = place()
    const allowed = await check({ runtime: 'python', repoId: 'app', relativeCwd: 'src' }, at)
    expect(allowed).toMatchObject({ code: 0, stderr: '' })
    const layers = allowed.stdout.trim().split('\n')
    expect(layers.map((line) => line.split(' ')[0])).toEqual(
      'config policy executable environment cwd approval concurrency timeout output audit allowed'.split(
        ' ',
      ),
    )
    expect(allowed.stdout).toMatch(/^cwd +pass +src$/m)
    const denied = await check({ runtime: 'node' }, at)
    expect(denied.code).toBe(1)
    expect(denied.stdout).toMatch(
      /^policy +deny +runtime-not-allowed: The runtime "node" is not in/m,
    )
    expect(denied.stdout).toMatch(/\ndenied\n$/)
  })

  it('applies rules to the destinations that [[programs]] opens, as a run does', async () => {
    const policy = (more = '') =>
      `${more}[[programs]]\nname = "packages"\nwhen = { repositories = ["app"] }\nnetwork = ["https://p.example"]\n`
    const request = { runtime: 'shell', repoId: 'app' }
    const opened = await check(request, place(policy()))
    expect(opened.stdout).toMatch(
      /^policy +pass +No rule matches; the program may reach https:\/\/p\.example$/m,
    )
    const rule =
      '[[rules]]\nname = "r"\nwhen = { network = ["https://p.example"] }\nrefuse = "Ask first"\n'
    expect((await check(request, place(policy(rule)))).stdout).toContain('Ask first')
    const elsewhere = await check({ runtime: 'shell' }, place(policy(rule)))
    expect(elsewhere.stdout).toMatch(/^policy +pass +No rule matches$/m)
  })

  it('prints one JSON document', async () => {
    const request = { runtime: 'shell', token: 'guest7', timeoutMs: 60_000, door: 'http' }
    const { code, json } = await check(request, place(), '--json')
    expect(code).toBe(1)
    expect(json()).toMatchObject({
      schema: 'skills.policy-check/v1',
      allowed: false,
      needs_approval: false,
      code: 'timeout-exceeded',
      layer: 'policy',
      rules: ['guests'],
      limits: { timeout_ms: 10_000 },
      request: { kind: 'execute', language: 'shell', caller: 'guest7', door: 'http' },
      audit_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(json()['layers']).toHaveLength(10)
  })

  it('reads the request from stdin, a file, and a JSON-RPC call', async () => {
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'runtime.execute',
      params: { repoId: 'app', runtime: 'python', code: 'print(1)', outputMode: 'minimal' },
    })
    const at = { ...place(POLICY, { 'project/call.json': call }), stdin: call }
    for (const argv of [[], ['-'], ['call.json']]) {
      const { code, json } = await runSkills(['policy', 'check', ...argv, '--json'], at)
      expect(code).toBe(0)
      expect(json()).toMatchObject({ allowed: true, request: { repository: 'app' } })
    }
  })

  it('accepts skills and code in the format of their methods', async () => {
    const deny = place('[deny]\nskills = ["acme.*"]')
    const skill = await check({ name: 'acme.one', version: '1.0.0', timeout_ms: 5 }, deny, '--json')
    expect(skill.json()).toMatchObject({
      code: 'skill-not-allowed',
      request: { kind: 'execute_skill', skills: ['acme.one@1.0.0'], timeout_ms: 5 },
    })
    const code = {
      method: 'run_code',
      params: { mount_skills: ['acme.one'], limits: { timeout_ms: 9 } },
    }
    expect((await check(code, deny, '--json')).json()).toMatchObject({
      code: 'skill-not-allowed',
      request: { kind: 'run_code', language: 'python', timeout_ms: 9 },
    })
  })

  it('names the approver to ask, and denies without one', async () => {
    const hook = `${POLICY}[approval]\ncommand = ["/bin/true"]\n`
    const long = { runtime: 'python', timeout: '9m' }
    const asks = await check(long, place(hook))
    expect(asks).toMatchObject({ code: 0 })
    expect(asks.stdout).toMatch(
      /^approval +ask +"long runs" requires approval by \/bin\/true within 5 minutes/m,
    )
    expect(asks.stdout).toMatch(/\nneeds approval\n$/)
    const nobody = await check(long, place(), '--json')
    expect(nobody.code).toBe(1)
    expect(nobody.json()).toMatchObject({
      allowed: false,
      needs_approval: true,
      code: 'approval-failed',
    })
  })

  it('resolves like a run: links to the outside, programs of the repository', async () => {
    const at = place()
    symlinkSync('/etc', join(at.env.HOME, 'repo/out'))
    expect((await check({ runtime: 'shell', repo: 'app', cwd: 'out' }, at)).stdout).toMatch(
      /^cwd +deny +cwd-escape-attempt/m,
    )
    expect((await check({ runtime: 'shell', executable: './bash' }, at)).stdout).toMatch(
      /^executable +deny +executable-not-trusted/m,
    )
  })

  it('evaluates another file with --policy', async () => {
    const at = place(POLICY, { 'project/other.toml': '[deny]\nlanguages = ["python"]' })
    expect((await check({ runtime: 'python' }, at)).code).toBe(0)
    expect((await check({ runtime: 'python' }, at, '--policy', 'other.toml')).code).toBe(1)
    expect(await check({ runtime: 'python' }, at, '--policy', 'none.toml')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The policy .* does not exist/) as string,
    })
  })

  it.each<[string | object, number, RegExp]>([
    ['{', 2, /The request is not valid JSON/],
    ['[]', 3, /./],
    [{ runtime: 'pyton' }, 2, /Unknown language "pyton"[\s\S]*"python"/],
    [{ langage: 'python' }, 2, /Unknown field "langage"[\s\S]*"language"/],
    [{ runtime: 1 }, 2, /"language" is 1, expected a string/],
    [{ kind: 'excute' }, 2, /"kind" is "excute", expected one of[\s\S]*"execute"/],
    [{ runtime: 'python', timeout: 'soon' }, 2, /"timeout" is "soon", expected/],
    [{ runtime: 'python', network: [1] }, 2, /"network" is \[1\]/],
    [
      { runtime: 'python', repo: 'ap' },
      3,
      /"ap" is not a registered repository[\s\S]*Did you mean "app"/,
    ],
    [{ runtime: 'python', repo: 'gone' }, 3, /"gone" \(\/no\/such\) does not exist/],
    [{ runtime: 'python', repo: 'app', cwd: 'nope' }, 3, /"nope" does not exist/],
    ['no-such-file.json', 3, /no-such-file/],
  ])('reports the error in %j', async (request, code, message) => {
    const finished = await check(request)
    expect(finished).toMatchObject({ code, stdout: '' })
    expect(finished.stderr).toMatch(message)
    expect(finished.stderr).not.toContain('    at ')
  })

  it('reports missing input', async () => {
    expect(await runSkills(['policy', 'check'], { ...place(), tty: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Missing the request') as string,
    })
  })
})

describe('skills policy explain', () => {
  it('shows every setting, rule and repository with its location', async () => {
    const at = place(`${POLICY}[approval]\ncommand = ["/bin/true", "-x"]\n`)
    const { code, stdout, stderr } = await runSkills(['policy', 'explain'], at)
    expect(code).toBe(0)
    const file = join(at.env.HOME, STANDARD)
    expect(stdout).toMatch(/^runtime\.enabled +true +built in$/m)
    expect(stdout).toContain(`${file}:2`)
    expect(stdout).toMatch(/^guests: limits timeout +10s .*:6$/m)
    expect(stdout).toMatch(/^long runs: approve +approval is required .*:10$/m)
    expect(stdout).toMatch(/^command +\/bin\/true -x/m)
    expect(stdout).toMatch(/^app +.*\/repo \(read-only\) +.*skills\.config\.toml:2$/m)
    expect(stdout).toMatch(/^gone +.*does not exist/m)
    expect(stderr).toContain(`Read ${file}: the policy`)
  })

  it('prints one JSON document', async () => {
    const at = place(POLICY, { 'project/policy.toml': '[deny]\nkinds = ["execute"]' })
    const { json } = await runSkills(['policy', 'explain', '--json'], at)
    expect(json()).toMatchObject({
      schema: 'skills.policy/v1',
      files: [{ trust: 'operator' }, { trust: 'project' }],
      approval: null,
      repositories: [
        { name: 'app', mode: 'read-only', problem: null },
        { name: 'gone', problem: expect.stringContaining('does not exist') as string },
      ],
    })
    expect(json()['scopes']).toMatchObject([
      { name: 'the policy', is_rule: false },
      {
        name: 'guests',
        is_rule: true,
        parts: [{ part: 'when' }, { part: 'limits', value: 10_000 }],
      },
      { name: 'long runs' },
      { name: "the project's policy" },
    ])
  })

  it('shows the expected path of a policy, and its errors', async () => {
    const home = createFolder()
    const none = await runSkills(['policy', 'explain'], { cwd: home, env: { HOME: home } })
    expect(none.stderr).toContain(`No policy at ${join(home, STANDARD)}`)
    const broken = await runSkills(['policy', 'explain'], place('[allow]\nlanguages = ["pyton"]'))
    expect(broken).toMatchObject({ code: 2, stdout: '' })
    expect(broken.stderr).toMatch(/policy\.toml:2:14: "pyton"[\s\S]*Did you mean "python"/)
    const open = place()
    chmodSync(join(open.env.HOME, STANDARD), 0o666)
    expect((await runSkills(['policy', 'explain'], open)).stderr).toMatch(/chmod go-w/)
  })

  it('escapes control characters of a policy', async () => {
    const at = place('[[rules]]\nname = "a\\u001b[2J"\nrefuse = "b\\u001b[2J"')
    const { stdout } = await runSkills(['policy', 'explain'], at)
    expect(stdout).not.toContain('\u001b')
  })
})

describe('skills serve', () => {
  it('does not start with an invalid policy', async () => {
    const broken = await runSkills(['serve', '--port', '0'], place('[alow]'))
    expect(broken).toMatchObject({ code: 2, stdout: '' })
    expect(broken.stderr).toContain('Unknown setting "alow"')
  })
})

describe('skills run-code', () => {
  it('applies the policy, and a denial is in both logs', async () => {
    const at = place()
    const refused = await runSkills(['run-code', '--language', 'node', '-'], {
      ...at,
      stdin: 'console.log(1)',
    })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('The runtime "node" is not in the allowed runtimes')
    expect((await runSkills(['runs', 'ls'], at)).stdout).toMatch(/ refused .* node\n$/)
    expect((await runSkills(['audit', 'ls'], at)).stdout).toMatch(
      / runtime-not-allowed .* execute node\n$/,
    )
  })
})

describe('skills policy explain', () => {
  it('shows the retention of the audit log and its origin', async () => {
    const at = place(POLICY, { '.config/skills/config.toml': '[audit]\nttl = "30d"\n' })
    const { stdout } = await runSkills(['policy', 'explain'], at)
    expect(stdout).toMatch(/^audit\.ttl +30d +\S+config\.toml:2$/m)
    expect(stdout).toMatch(/^audit\.quota +not set +built in$/m)
  })
})
