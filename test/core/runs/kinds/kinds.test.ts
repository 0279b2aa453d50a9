import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { METHODS } from '../../../../src/core/methods/index.ts'
import { POLICY_RUN_KINDS } from '../../../../src/core/policy/policy-request.ts'
import type { RunCall, RunEvent } from '../../../../src/core/runs/run-call.ts'
import { toSkillsError } from '../../../../src/errors.ts'
import { WeakSandboxes } from './weak-sandboxes.ts'
import { createFolder } from '../../../helpers/skills.ts'
import {
  readAuditRecords,
  readStoredFiles,
  KIND_ROWS,
  createKindsRuntime,
  OPERATORS_SECRET,
} from './rows.ts'
import { BUILT_MODULES } from '../../../helpers/built.ts'
import { keepSandboxes } from '../../../helpers/kept-sandboxes.ts'

const CALLERS_SECRET = 'callers-secret-0123456789'

it('the table has a row for every method that starts a run', () => {
  const names = KIND_ROWS.map(({ name }) => name.split(' ')[0])
  const starting = METHODS.filter(({ effect }) => effect === 'run').map(({ name }) => name)
  expect(starting.length).toBeGreaterThan(5)
  expect(starting.filter((name) => !names.includes(name))).toEqual([])
})

it('the table has a row for every kind of run', () => {
  expect([...new Set(KIND_ROWS.map(({ kind }) => kind))].toSorted()).toEqual(
    [...POLICY_RUN_KINDS].toSorted(),
  )
})

describe.each(KIND_ROWS)(
  '$name',
  ({ name, kind, language, hasEvents, skipsWithoutCaller, print }) => {
    // The start of TypeScript's compiler takes seconds.
    const tags = language === 'typescript' ? ['slow'] : []
    const isFirstOfKind = KIND_ROWS.find((each) => each.kind === kind)?.name === name
    const tagsOfKind = isFirstOfKind ? [] : ['slow']
    it(
      'ends with one record, two audit records, its states, and no secret in stored files',
      { tags },
      async () => {
        const data = createFolder()
        const runtime = await createKindsRuntime(data, { sandboxes: await keepSandboxes() })
        const states: string[] = []
        const onEvent = (event: RunEvent) =>
          void (event.type === 'state' && states.push(event.state))
        const call = {
          ...createCall(data),
          grants: { secrets: new Map([['OTHER', CALLERS_SECRET]]) },
          onEvent,
        }
        const text = JSON.stringify(await print(runtime, `printed ${CALLERS_SECRET}`, call))
        expect(text).not.toContain(CALLERS_SECRET)
        const { runs } = await (await runtime.runs()).list()
        expect(runs).toMatchObject([{ kind, status: 'completed', policy: { allowed: true } }])
        const begunAndEnded = readAuditRecords(data)
        expect(begunAndEnded).toMatchObject([
          { event: 'begun', kind, run_id: runs[0]?.run_id, request: { language } },
          { event: 'ended', kind, run_id: runs[0]?.run_id, request: { language } },
        ])
        expect(begunAndEnded[1]).toMatchObject({
          result: { status: expect.stringMatching(/^(?:completed|success)$/), exit_code: 0 },
        })
        expect(runs[0]?.policy.audit?.hash).toBe(begunAndEnded[0]?.hash)
        expect(states).toEqual(hasEvents ? ['starting', 'running', 'collecting', 'completed'] : [])
        const kept = readStoredFiles(data)
        expect(kept).toContain('printed [redacted]')
        expect(kept).not.toContain(CALLERS_SECRET)
      },
    )

    it('is denied by its language, with a record and an audit record without secrets', async () => {
      const data = createFolder()
      const runtime = await createKindsRuntime(data, {
        policy: `[deny]\nlanguages = ["${language}"]`,
      })
      const call = {
        ...createCall(data),
        grants: { secrets: new Map([['OTHER', CALLERS_SECRET]]) },
      }
      const text = `${CALLERS_SECRET} ${OPERATORS_SECRET}`
      const answer = await print(runtime, text, call).catch((error: unknown) =>
        toSkillsError(error),
      )
      expect(JSON.stringify(answer)).toMatch(/"runtime-not-allowed"/)
      expect(readAuditRecords(data)).toMatchObject([
        { event: 'denied', kind, request: { language } },
      ])
      const { runs } = await (await runtime.runs()).list()
      expect(runs).toMatchObject([{ kind, status: 'refused', policy: { allowed: false } }])
      const kept = readStoredFiles(data).replaceAll(/^KINDS_TOKEN=.*$/gm, '')
      expect(kept).not.toContain(CALLERS_SECRET)
      expect(kept).not.toContain(OPERATORS_SECRET)
    })

    it(
      'is recorded as cancelled if its caller was gone when it was denied',
      { tags: tagsOfKind },
      async () => {
        const data = createFolder()
        const runtime = await createKindsRuntime(data, {
          policy: `[deny]\nlanguages = ["${language}"]`,
        })
        const call = { ...createCall(data), signal: AbortSignal.abort() }
        await print(runtime, 'hello', call).catch(() => undefined)
        const { runs } = await (await runtime.runs()).list()
        // A session has a signal of its own, because it outlives its call.
        const status = hasEvents ? 'cancelled' : 'refused'
        expect(runs).toMatchObject(skipsWithoutCaller ? [] : [{ kind, status }])
      },
    )

    it.each([
      ['any', 'completed'],
      ['strict', 'failed'],
    ])(
      'with isolation "%s" required, in a weak sandbox: %s',
      { tags: name === 'run_code in python' ? [] : ['slow'] },
      async (required, status) => {
        const data = createFolder()
        const settings = { 'run.require_isolation': required }
        const runtime = await createKindsRuntime(data, { settings, sandboxes: new WeakSandboxes() })
        const answer = await print(runtime, 'hello', createCall(data)).catch(toSkillsError)
        const listRuns = async () => (await (await runtime.runs()).list()).runs
        // The record of a session ends after its last answer.
        await expect
          .poll(listRuns, { timeout: 20_000 })
          .toMatchObject([{ kind, status: status === 'failed' ? 'not_started' : status }])
        const runs = await listRuns()
        if (status === 'failed') expect(answer).toMatchObject({ code: 'sandbox/too-weak' })
        else expect(runs[0]?.isolation?.tier).toBe('weak')
      },
    )

    it(
      'evaluates the policy, whatever authorization a library caller passes',
      { tags: tagsOfKind },
      async () => {
        const data = createFolder()
        const runtime = await createKindsRuntime(data, {
          policy: `[deny]\nlanguages = ["${language}"]`,
        })
        const limits = { timeoutMs: 60_000, outputBytes: 1024 ** 2 }
        const verdict = {
          allowed: true,
          denials: [],
          rules: [],
          approval: [],
          limits,
          auditHash: 'x',
        }
        const permit = { verdict, decision: {}, begun: {}, leave: () => {}, end: async () => {} }
        const call = { ...createCall(data), permit, authorization: permit } as RunCall
        const answer = await print(runtime, 'hello', call).catch((error: unknown) =>
          toSkillsError(error),
        )
        expect(JSON.stringify(answer)).toMatch(/"runtime-not-allowed"/)
      },
    )
  },
)

describe('as an ordinary user without control groups', { tags: ['slow'] }, () => {
  it.each([
    ['any', 'ran'],
    ['strict', 'sandbox/too-weak'],
  ])('with isolation "%s" required, every kind: %s', async (required, expected) => {
    const ends = await runAsUser({ 'run.require_isolation': required })
    const all = KIND_ROWS.map(({ name }) => [name, expected] as const)
    expect(ends).toEqual(Object.fromEntries(all))
  })
})

function createCall(data: string): RunCall {
  return { cwd: data, env: { PATH: process.env['PATH'] } }
}

/**
 * Returns the result of each row in a process of a user without permission to create control
 * groups.
 */
async function runAsUser(settings: Record<string, unknown>): Promise<Record<string, string>> {
  const data = createFolder()
  chmodSync(data, 0o777)
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
  const [program, ...args]: [string, ...string[]] = [
    'env',
    ...(process.getuid?.() === 0 ? user : []),
    process.execPath,
    '--import',
    BUILT_MODULES,
    worker,
    JSON.stringify({ data, settings }),
  ]
  const options = { cwd: data, env: { PATH: '/usr/bin:/bin', HOME: data, TMPDIR: data } }
  const output = await new Promise<string>((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      stdout === '' && error ? reject(new Error(stderr)) : resolve(stdout),
    )
  })
  const ends = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; ended: string })
  return Object.fromEntries(ends.map(({ name, ended }) => [name, ended]))
}
