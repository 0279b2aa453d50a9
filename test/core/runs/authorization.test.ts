import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { verifyFolder } from '../audit/entries.ts'
import { describe, expect, it } from 'vitest'
import { readEntryAt } from '../../../src/core/skills/repository/open-repository.ts'
import { executeEntry } from '../../../src/core/methods/execute-skill/handler.ts'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import type { RunCall, RunEvent } from '../../../src/core/runs/run-call.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createApprover, createPolicyRuntime } from './policy-runtime.ts'
import { buildMain, buildShellArgv, createRuntimeIn, runProgram, runPython } from './run-warm.ts'

const WRITE_MARKER = { code: 'touch trace' }

describe('each layer of the policy for runtime.execute', () => {
  interface Refused {
    policy?: string
    settings?: Record<string, unknown>
    params?: Partial<ExecuteParams>
    call?: Partial<RunCall>
  }
  const hook = (text: string, timeout = '20s') =>
    `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${createApprover(text)}"]\ntimeout = "${timeout}"`

  it.each<[string, string, () => Refused]>([
    ['config', 'runtime-disabled', () => ({ settings: { 'runtime.enabled': false } })],
    ['policy', 'runtime-not-allowed', () => ({ policy: '[allow]\nlanguages = ["python"]' })],
    ['policy', 'executable-not-allowed', () => ({ policy: '[allow]\nexecutables = ["node"]' })],
    ['policy', 'repository-not-allowed', () => ({ policy: '[deny]\nrepositories = ["app"]' })],
    ['policy', 'cwd-not-allowed', () => ({ policy: '[allow]\ncwd = ["src/**"]' })],
    [
      'policy',
      'timeout-exceeded',
      () => ({ policy: '[limits]\ntimeout = "5s"', params: { timeoutMs: 60_000 } }),
    ],
    ['policy', 'denied-by-rule', () => ({ policy: '[[rules]]\nname = "r"\nrefuse = "Closed"' })],
    ['executable', 'runtime-executable-mismatch', () => ({ params: { executable: 'node' } })],
    ['executable', 'executable-not-trusted', () => ({ params: { executable: './bash' } })],
    [
      'environment',
      'env-keys-not-allowed',
      () => ({
        policy: '[deny]\nenvironment = ["MARK"]',
        settings: { 'run.environment': ['MARK'] },
        call: { env: { PATH: process.env['PATH'], MARK: '1' } },
      }),
    ],
    ['cwd', 'cwd-escape-attempt', () => ({ params: { relativeCwd: 'leads-out' } })],
    ['approval', 'approval-refused', () => ({ policy: hook('exit 1') })],
    ['approval', 'approval-timed-out', () => ({ policy: hook('sleep 60', '500ms') })],
    ['approval', 'approval-failed', () => ({ policy: hook('echo garbage') })],
    ['approval', 'approval-failed', () => ({ policy: '[[rules]]\nname = "r"\napprove = true' })],
    [
      'timeout',
      'timeout-exceeded',
      () => ({
        settings: { 'run.max_timeout': '10s', 'run.timeout': '10s' },
        params: { timeoutMs: 60_000 },
      }),
    ],
  ])(
    '%s denies with %s; nothing runs, and the denial is audited',
    async (layer, code, createCase) => {
      const { policy = '', settings = {}, params = {}, call = {} } = createCase()
      const tree = { bash: '#!/bin/sh\ntouch trace\n' }
      const { execute, audited, repository, data } = await createPolicyRuntime(policy, {
        settings,
        tree,
      })
      symlinkSync(createFolder(), join(repository, 'leads-out'))
      const answer = await execute({ ...WRITE_MARKER, ...params }, call)
      expect(answer).toMatchObject({
        status: 'denied',
        exitCode: null,
        policyDecision: { deniedCode: code },
        truncation: { stdoutTruncated: false, totalStdoutBytes: 0 },
      })
      expect(answer.policyDecision?.deniedReasons?.[0]).toMatch(/\w/)
      expect(existsSync(join(repository, 'trace'))).toBe(false)
      expect(audited()).toMatchObject([
        { event: 'denied', decision: { allowed: false, code, layer } },
      ])
      expect((await verifyFolder(join(data, 'audit'))).problems).toEqual([])
    },
  )

  it('allows what no layer denies', async () => {
    const { execute, wrote, audited } = await createPolicyRuntime(hook('exit 0'))
    expect(await execute(WRITE_MARKER)).toMatchObject({ status: 'success', exitCode: 0 })
    expect(wrote('trace')).toBe('')
    expect(audited().map(({ event }) => event)).toEqual(['begun', 'ended'])
  })

  it('reports the reason of the first layer if several deny', async () => {
    const { execute } = await createPolicyRuntime('[deny]\nlanguages = ["shell"]', {
      settings: { 'runtime.enabled': false },
    })
    const { policyDecision } = await execute({ ...WRITE_MARKER, executable: './bash' })
    expect(policyDecision).toMatchObject({ deniedCode: 'runtime-disabled' })
    expect(policyDecision?.deniedReasons).toHaveLength(3)
  })

  it.each<[string, string, Partial<ExecuteParams>]>([
    ['cwd', 'cwd-escape-attempt', { relativeCwd: '../x' }],
    ['cwd', 'cwd-escape-attempt', { relativeCwd: '/etc' }],
    ['policy', 'request-invalid', { relativeCwd: 'nowhere' }],
    ['policy', 'request-invalid', { timeoutMs: 1 }],
    ['policy', 'request-invalid', { runtime: 'cobol' as never }],
    ['policy', 'repository-not-allowed', { repoId: 'unknown' }],
  ])('%s: an error is audited with %s: %j', async (layer, code, params) => {
    const { execute, audited, data } = await createPolicyRuntime('')
    await expect(execute({ ...WRITE_MARKER, ...params })).rejects.toThrow(/\w/)
    expect(audited()).toMatchObject([
      { event: 'denied', kind: 'execute', decision: { allowed: false, code, layer } },
    ])
    expect((await verifyFolder(join(data, 'audit'))).problems).toEqual([])
  })

  it('a policy that cannot be read is audited', async () => {
    const { execute, audited, data } = await createPolicyRuntime('')
    writeFileSync(join(data, '.config/skills/policy.toml'), 'nonsense')
    await expect(execute(WRITE_MARKER)).rejects.toMatchObject({ code: 'policy/invalid' })
    expect(audited()).toMatchObject([{ event: 'denied', decision: { code: 'policy-invalid' } }])
  })

  it('checks the repository first, then the folder, then the program', async () => {
    const { execute } = await createPolicyRuntime('[deny]\nlanguages = ["*"]')
    const wrong = { executable: 'node', relativeCwd: 'nowhere', code: 'true' }
    await expect(execute({ ...wrong, repoId: 'ap' })).rejects.toMatchObject({
      code: 'repository/unknown',
    })
    await expect(execute(wrong)).rejects.toThrow(/"nowhere" does not exist/)
    expect(await execute({ ...wrong, relativeCwd: '.' })).toMatchObject({ status: 'denied' })
  })
})

describe('the queue of runs', () => {
  it('runs a limited number at once, and the others wait', { tags: ['slow'] }, async () => {
    const { runtime, execute } = await createPolicyRuntime('', {
      settings: { 'run.max_concurrent': 2 },
    })
    let most = 0
    const onEvent = ({ type }: RunEvent) => {
      if (type === 'admitted') most = Math.max(most, runtime.runQueue.running)
    }
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => await execute({ code: 'sleep 0.2' }, { onEvent })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill('success'))
    expect(most).toBe(2)
    expect(runtime.runQueue).toMatchObject({ running: 0, waiting: 0 })
  })

  it(
    'is bounded: a run that does not fit is rejected and audited',
    { tags: ['slow'] },
    async () => {
      const settings = { 'run.max_concurrent': 1, 'run.max_waiting': 1 }
      const { execute, audited } = await createPolicyRuntime('', { settings })
      const first = execute({ code: 'sleep 1' })
      const answers = await Promise.allSettled([
        first,
        ...[1, 2, 3].map(async () => await execute({ code: 'true' })),
      ])
      const refused = answers.filter(({ status }) => status === 'rejected')
      expect(refused).toHaveLength(2)
      expect(refused[0]).toMatchObject({ reason: { code: 'run/busy' } })
      const denied = audited().filter(({ event }) => event === 'denied')
      expect(denied).toMatchObject(
        [1, 2].map(() => ({
          decision: { code: 'concurrency-limit-reached', layer: 'concurrency' },
        })),
      )
    },
  )

  it(
    'has no slot occupied by a run that is denied or waits for approval',
    { tags: ['slow'] },
    async () => {
      const policy = `[[rules]]\nname = "ask"\napprove = true\nwhen = { tokens = ["slow"] }
[approval]\ncommand = ["${createApprover('sleep 3; exit 0')}"]`
      const { execute, runtime } = await createPolicyRuntime(policy, {
        settings: { 'run.max_concurrent': 1 },
      })
      const order: string[] = []
      const run = async (name: string) => {
        await execute({ code: 'true' }, { caller: { name } })
        order.push(name)
      }
      await Promise.all([run('slow'), run('quick')])
      expect(order).toEqual(['quick', 'slow'])
      expect(runtime.runQueue.running).toBe(0)
    },
  )
})

describe('approval', () => {
  it(
    'does not count towards the timeout, and is in the record and in the audit log',
    { tags: ['slow'] },
    async () => {
      const script = `sleep 2; echo '{"approved": true, "by": "eve", "reason": "looks fine"}'`
      const policy = `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${createApprover(script)}"]`
      const { execute, audited, runtime } = await createPolicyRuntime(policy)
      const answer = await execute({ code: 'sleep 0.3', timeoutMs: 1500, detail: 'full' })
      expect(answer).toMatchObject({ status: 'success' })
      const approval = { rules: ['ask'], answer: 'approved', by: 'eve', reason: 'looks fine' }
      expect(audited()).toMatchObject([
        { event: 'begun', decision: { approval } },
        { event: 'ended', decision: { approval } },
      ])
      const record = await (await runtime.runs()).get(answer.runId ?? '')
      expect(record.policy.decision).toMatchObject({ allowed: true, approval })
      const [beginRecord] = audited()
      expect(record.policy.audit).toEqual({ seq: 1, hash: beginRecord?.hash })
    },
  )

  it(
    'is requested for a limited number of runs at once; the others wait',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      const dir = createFolder({ 'here/.keep': '' })
      const script = `touch ${dir}/here/$$; ls ${dir}/here | wc -l >> ${dir}/counts; sleep 1; rm ${dir}/here/$$`
      const policy = `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${createApprover(script)}"]`
      const { execute } = await createPolicyRuntime(policy, {
        settings: { 'run.max_concurrent': 40 },
      })
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => await execute({ code: 'true' })),
      )
      expect(answers.filter(({ status }) => status === 'success')).toHaveLength(20)
      const counts = readFileSync(join(dir, 'counts'), 'utf8').trim().split(/\s+/).map(Number)
      expect(counts).toHaveLength(20)
      expect(Math.max(...counts)).toBeLessThanOrEqual(16)
    },
  )

  it('never runs a program of a repository, by any path', { tags: ['slow'] }, async () => {
    const hook = createApprover('exit 0')
    const link = join(createFolder(), 'link')
    symlinkSync(dirname(hook), link)
    const policy = `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${hook}"]`
    const registered = { repositories: { app: { path: link, mode: 'read-write' } } }
    const { execute } = await createPolicyRuntime(policy, { settings: registered })
    expect(await execute({ code: 'true' })).toMatchObject({
      status: 'denied',
      policyDecision: { deniedCode: 'approval-failed' },
    })
    const { execute: elsewhere } = await createPolicyRuntime(policy)
    expect(await elsewhere({ code: 'true' })).toMatchObject({ status: 'success' })
  })

  it('is void if the policy has changed meanwhile', async () => {
    const hook = createApprover('touch "$0.asked"\nuntil [ -f "$0.go" ]; do sleep 0.02; done')
    const approval = `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${hook}"]\n`
    const { execute, data, audited } = await createPolicyRuntime(approval)
    const running = execute(WRITE_MARKER)
    await expect.poll(() => existsSync(`${hook}.asked`), { timeout: 20_000 }).toBe(true)
    writeFileSync(join(data, '.config/skills/policy.toml'), '[deny]\nlanguages = ["shell"]\n')
    writeFileSync(`${hook}.go`, '')
    expect(await running).toMatchObject({
      status: 'denied',
      policyDecision: { deniedCode: 'runtime-not-allowed' },
    })
    expect(audited().map(({ event }) => event)).toEqual(['denied'])
  })

  it('ends with its caller', async () => {
    const policy = `[[rules]]\nname = "ask"\napprove = true\n[approval]\ncommand = ["${createApprover('sleep 60')}"]`
    const { execute } = await createPolicyRuntime(policy)
    const stop = new AbortController()
    const running = execute(WRITE_MARKER, { signal: stop.signal })
    setTimeout(() => stop.abort(), 300)
    expect(await running).toMatchObject({ status: 'cancelled' })
  })
})

describe('the audit log', () => {
  it('contains the beginning and end of every kind of run, with digests only', async () => {
    const marker = 'mark-of-what-was-given'
    const { runtime, execute, call, audited, auditText, data } = await createPolicyRuntime('')
    await execute({ code: `echo ${marker}`, stdin: marker })
    await runtime.runCode(
      { language: 'python', code: `def main(args):\n    return "${marker}"`, args: { marker } },
      call,
    )
    await runPython(buildMain('return 1'), { data, args: { marker }, call: { cwd: data } })
    await runProgram(buildShellArgv(`echo ${marker}`), { data })
    const ended = audited().filter(({ event }) => event === 'ended')
    expect(ended.map((each) => 'kind' in each && each.kind)).toEqual([
      'execute',
      'run_code',
      'execute_skill',
      'workspace',
    ])
    expect(audited().filter(({ event }) => event === 'begun')).toHaveLength(4)
    expect(auditText()).not.toContain(marker)
    const hex = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string
    expect(ended[0]).toMatchObject({
      digests: { code: hex, stdin: hex, stdout: hex, stderr: hex },
      result: { status: 'completed', exit_code: 0, stdout_bytes: marker.length + 1 },
      decision: { allowed: true, audit_hash: expect.any(String) as string },
    })
    expect(ended[1]).toMatchObject({ digests: { code: hex, args: hex, output: hex, logs: hex } })
    expect(ended[3]).toMatchObject({ digests: { stdout: hex, stderr: hex } })
    await execute({ code: `echo ${marker}`, persistOutput: false })
    const stdout = createHash('sha256').update(`${marker}\n`).digest('hex')
    expect(audited().at(-1)).toMatchObject({ digests: { stdout: `sha256:${stdout}` } })
    expect(await verifyFolder(join(data, 'audit'))).toMatchObject({ records: 10, problems: [] })
  })

  it('contains the inputs too if the operator enables it', { tags: ['slow'] }, async () => {
    const { execute, audited } = await createPolicyRuntime('', {
      settings: { 'audit.contents': true },
    })
    await execute({ code: 'echo hello', stdin: 'x'.repeat(100_000) })
    expect(audited()[0]).toMatchObject({ contents: { code: 'echo hello' } })
    const { contents } = audited()[0] as unknown as { contents: { stdin: string } }
    expect(contents.stdin.length).toBeLessThan(70_000)
    expect(contents.stdin).toContain('bytes)')
  })

  it('truncates text that a caller chose', { tags: ['slow'] }, async () => {
    const { execute, auditText } = await createPolicyRuntime('')
    const executable = `./${'x'.repeat(100_000)}`
    expect(await execute({ code: 'true', executable })).toMatchObject({ status: 'denied' })
    expect(auditText().length).toBeLessThan(10_000)
  })

  it('contains no secret of a run, even if contents are kept', async () => {
    const data = createFolder()
    await runPython(buildMain('return args'), {
      data,
      args: { key: 'hunter2-hunter2' },
      toml: '[permissions]\nsecrets = ["API_KEY"]',
      settings: { 'audit.contents': true },
      call: { grants: { secrets: new Map([['API_KEY', 'hunter2-hunter2']]) } },
    })
    const { readLines } = await import('../audit/entries.ts')
    const text = readLines(join(data, 'audit')).join('\n')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('hunter2')
  })

  it('prevents every run if it cannot be written', async () => {
    const { execute, runtime, repository, data, call } = await createPolicyRuntime('')
    writeFileSync(join(data, 'audit'), '')
    const unavailable = { code: 'audit/unavailable', data: { layer: 'audit' } }
    await expect(execute(WRITE_MARKER)).rejects.toMatchObject(unavailable)
    expect(existsSync(join(repository, 'trace'))).toBe(false)
    const code = { language: 'python', code: 'def main(args):\n    return 1' }
    await expect(runtime.runCode(code, call)).rejects.toMatchObject(unavailable)
    expect(runtime.runQueue.running).toBe(0)
  })
})

describe('a policy', () => {
  it('matches a program by every path that leads to it', { tags: ['slow'] }, async () => {
    const bin = createFolder()
    const link = join(bin, 'bash')
    symlinkSync('/bin/bash', link)
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    for (const path of [link, realpathSync('/bin/bash')]) {
      const denied = await createPolicyRuntime(`[deny]\nexecutables = ["${path}"]`)
      expect(await denied.execute({ code: ':' }, { env })).toMatchObject({
        status: 'denied',
        policyDecision: { deniedCode: 'executable-not-allowed' },
      })
      const allowed = await createPolicyRuntime(`[allow]\nexecutables = ["${path}"]`)
      expect(await allowed.execute({ code: ':' }, { env })).toMatchObject({ status: 'success' })
    }
  })

  const skill = (toml = '') => ({
    'skill.toml': `name = "acme.one"\nversion = "1.2.3"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n${toml}`,
    'code/main.py': buildMain('time.sleep(args.get("s", 0))\nreturn 1'),
  })
  const executeIn = async (
    policy: string,
    {
      toml = '',
      args = {},
      call: more = {},
    }: { toml?: string; args?: { s?: number }; call?: Partial<RunCall> } = {},
  ) => {
    const { runtime, call } = await createPolicyRuntime(policy)
    const entry = await readEntryAt(createFolder(skill(toml)))
    return await executeEntry(runtime, { entry, args }, { ...call, ...more })
  }

  it.each([
    ['[deny]\nskills = ["acme.*"]', 'skill-not-allowed'],
    ['[allow]\nskills = ["acme.one@1.0.0"]', 'skill-not-allowed'],
    ['[deny]\nlanguages = ["python"]', 'runtime-not-allowed'],
    ['[deny]\nkinds = ["execute_skill"]', 'kind-not-allowed'],
    ['[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { skills = ["acme.one"] }', 'denied-by-rule'],
  ])('applies to skills too: %j', async (policy, code) => {
    await expect(executeIn(policy)).rejects.toMatchObject({ code: 'policy/denied', data: { code } })
  })

  it('allows a skill that it names', async () => {
    expect(await executeIn('[allow]\nskills = ["acme.one@1.2.3"]')).toMatchObject({
      status: 'completed',
    })
  })

  it('ends a skill at its timeout', { tags: ['slow'] }, async () => {
    const slow = await executeIn('[limits]\ntimeout = "1s"', { args: { s: 20 } })
    expect(slow).toMatchObject({ status: 'failed', error: { type: 'Timeout' } })
  })

  it('matches the network that a skill would get, not all that it declares', async () => {
    const toml = '[permissions]\nnetwork = ["https://evil.example.com"]'
    const policy = '[allow]\nnetwork = ["https://*.example.org"]'
    const granted = { toml, call: { grants: { allowNetwork: true } } }
    await expect(executeIn(policy, granted)).rejects.toMatchObject({
      data: { code: 'network-not-allowed' },
    })
    expect(await executeIn(policy, { toml })).toMatchObject({ status: 'completed' })
  })

  it('matches callers and entry points', { tags: ['slow'] }, async () => {
    const policy = `[[rules]]\nname = "guests"\nrefuse = "Not for guests"\nwhen = { tokens = ["guest*"], doors = ["http"] }`
    const from = async (name: string, door: 'http' | 'cli') =>
      await executeIn(policy, { call: { caller: { name, door } } })
    await expect(from('guest1', 'http')).rejects.toThrow('Not for guests')
    expect(await from('guest1', 'cli')).toMatchObject({ status: 'completed' })
    expect(await from('alice', 'http')).toMatchObject({ status: 'completed' })
  })

  it('leaves the record of a denied run', async () => {
    const { runtime, call } = await createPolicyRuntime('[deny]\nkinds = ["run_code"]')
    const code = { language: 'python', code: 'def main(args):\n    return 1' }
    await expect(runtime.runCode(code, call)).rejects.toMatchObject({ code: 'policy/denied' })
    const { runs } = await (await runtime.runs()).list()
    expect(runs).toMatchObject([
      { status: 'refused', policy: { allowed: false, decision: { code: 'kind-not-allowed' } } },
    ])
  })

  it('leaves the record of a denied program', async () => {
    const { execute, runtime } = await createPolicyRuntime('[deny]\nrepositories = ["app"]')
    await execute({ code: 'true' })
    const { runs } = await (await runtime.runs()).list()
    expect(runs).toMatchObject([
      {
        kind: 'execute',
        status: 'refused',
        request: { args: { repository: 'app', language: 'shell' } },
        policy: { allowed: false, decision: { code: 'repository-not-allowed' } },
      },
    ])
  })

  it('applies to commands in workspaces, which count as shell', async () => {
    const data = createFolder({ '.config/skills/policy.toml': '[deny]\nlanguages = ["shell"]' })
    await expect(runProgram(buildShellArgv('true'), { data })).rejects.toMatchObject({
      data: { code: 'runtime-not-allowed' },
    })
    expect(await runProgram(buildShellArgv('true'))).toMatchObject({ status: 'success' })
  })

  it('prevents every run if it cannot be trusted', async () => {
    const { chmodSync } = await import('node:fs')
    const data = createFolder({ '.config/skills/policy.toml': '' })
    chmodSync(join(data, '.config/skills/policy.toml'), 0o666)
    const runtime = await createRuntimeIn(data)
    const call = { cwd: data, env: { PATH: process.env['PATH'] } }
    const code = { language: 'python', code: 'def main(args):\n    return 1' }
    await expect(runtime.runCode(code, call)).rejects.toMatchObject({ code: 'policy/invalid' })
  })
})
