import { createHmac } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { requestApproval } from '../../../src/core/policy/approval/request-approval.ts'
import type { ApprovalHook } from '../../../src/core/policy/policy.ts'
import { isAlive } from '../../helpers/is-alive.ts'
import { createFolder } from '../../helpers/skills.ts'

const locate = () => '/etc/policy.toml:1'
const QUESTION = {
  run_id: 'run_1',
  rules: ['r'],
  kind: 'execute',
  who: { door: 'http', caller: 'alice' },
  request: { language: 'python' },
  digests: { code: 'sha256:1' },
  given: { code: 'print(1)' },
}

async function runApproval(
  hook: ApprovalHook | undefined,
  more: { signal?: AbortSignal; excluded?: string[] } = {},
) {
  const { signal, excluded = [] } = more
  const env = { PATH: process.env['PATH'], SECRET: 'x' }
  return await requestApproval({ hook, question: QUESTION, env, excluded, signal })
}

/** Creates a hook that is a shell script. */
function createScriptHook(text: string, timeoutMs = 20_000): ApprovalHook {
  const file = join(createFolder(), 'hook')
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return { kind: 'command', command: [file, 'word'], timeoutMs, locate }
}

describe('an approval command', () => {
  it.each([
    ['exit 0', { answer: 'approved' }],
    ['exit 1', { answer: 'refused' }],
    [`echo '{"approved": true, "by": "eve", "reason": "fine"}'`, { answer: 'approved', by: 'eve' }],
    [`echo '{"approved": false, "reason": "no"}'; exit 1`, { answer: 'refused', reason: 'no' }],
  ])('answers by its exit code and its output: %s', async (text, answer) => {
    expect(await runApproval(createScriptHook(text))).toMatchObject({ rules: ['r'], ...answer })
  })

  it.each([
    ['exit 2', /exited with code 2/],
    ['kill -9 $$', /SIGKILL/],
    ['echo garbage', /not a valid answer/],
    ['echo "{}"', /not a valid answer/],
    ['echo "[true]"', /not a valid answer/],
    [`echo '{"approved": "true"}'`, /not a valid answer/],
    [`echo '{"approved": true}'; exit 1`, /contradicts/],
    [`echo '{"approved": false}'`, /contradicts/],
    ['head -c 100000 /dev/zero', /too much/],
  ])('approves nothing by any other result: %s', async (text, reason) => {
    expect(await runApproval(createScriptHook(text))).toMatchObject({
      answer: 'failed',
      reason: expect.stringMatching(reason) as string,
    })
  })

  it('gets the question on stdin and only the standard environment variables', async () => {
    const out = createFolder()
    const hook = createScriptHook(
      `cat > ${out}/question; env > ${out}/env; echo "$1" > ${out}/word`,
    )
    expect(await runApproval(hook)).toMatchObject({ answer: 'approved' })
    const question = JSON.parse(readFileSync(join(out, 'question'), 'utf8')) as object
    expect(question).toMatchObject({ schema: 'skills.approval-request/v1', ...QUESTION })
    expect(readFileSync(join(out, 'env'), 'utf8')).not.toContain('SECRET')
    expect(readFileSync(join(out, 'word'), 'utf8')).toBe('word\n')
  })

  it('is killed with its descendants at the timeout, and has not approved', async () => {
    const out = createFolder()
    const pid = join(out, 'pid')
    const hook = createScriptHook(`sleep 600 & echo $! > ${pid}; trap '' TERM; sleep 600`, 1000)
    expect(await runApproval(hook)).toMatchObject({ answer: 'timed-out' })
    const descendant = Number(readFileSync(pid, 'utf8'))
    expect(descendant).toBeGreaterThan(1)
    await vi.waitFor(() => expect(isAlive(descendant)).toBe(false), { timeout: 20_000 })
  })

  it('returns without waiting for processes that it leaves behind', async () => {
    const answer = await runApproval(createScriptHook('sleep 30 & exit 0'))
    expect(answer.answer).toBe('approved')
  })

  it('may ignore its input', async () => {
    expect(await runApproval(createScriptHook('exec 0<&-; exit 0'))).toMatchObject({
      answer: 'approved',
    })
  })

  it('is not started if it is excluded, missing, or writable by others', async () => {
    const hook = createScriptHook('exit 0') as Extract<ApprovalHook, { kind: 'command' }>
    const [file] = hook.command
    expect(await runApproval(hook)).toMatchObject({ answer: 'approved' })
    expect(await runApproval(hook, { excluded: [join(file, '..')] })).toMatchObject({
      answer: 'failed',
    })
    chmodSync(file, 0o777)
    expect(await runApproval(hook)).toMatchObject({
      answer: 'failed',
      reason: expect.stringContaining('Other users can write') as string,
    })
    chmodSync(file, 0o644)
    expect(await runApproval(hook)).toMatchObject({ answer: 'failed' })
    expect(await runApproval({ ...hook, command: ['/no/such/hook'] })).toMatchObject({
      answer: 'failed',
    })
  })

  it('is killed when the caller disconnects', async () => {
    const stop = new AbortController()
    const asking = runApproval(createScriptHook('sleep 60'), { signal: stop.signal })
    setTimeout(() => stop.abort(), 100)
    await expect(asking).rejects.toMatchObject({ code: 'run/cancelled' })
  })
})

describe('a missing approval hook', () => {
  it('approves nothing', async () => {
    expect(await runApproval(undefined)).toMatchObject({ answer: 'failed', waited_ms: 0 })
  })
})

describe('an approval webhook', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

  async function webhook(answer: Answer, more: Partial<ApprovalHook> = {}): Promise<ApprovalHook> {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => answer(request, response, body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`
    const hook = { kind: 'webhook', url, secretFile: undefined, timeoutMs: 20_000, locate }
    return { ...hook, ...more } as ApprovalHook
  }

  const respondWith =
    (text: string, status = 200): Answer =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    }

  it('answers with JSON', async () => {
    const yes = await webhook(respondWith('{"approved": true, "by": "eve"}'))
    expect(await runApproval(yes)).toMatchObject({ answer: 'approved', by: 'eve' })
    const no = await webhook(respondWith('{"approved": false}'))
    expect(await runApproval(no)).toMatchObject({ answer: 'refused' })
  })

  it.each<[string, Answer]>([
    ['another status', respondWith('{"approved": true}', 201)],
    ['an error', respondWith('{"approved": true}', 500)],
    ['garbage', respondWith('yes')],
    ['nothing', respondWith('')],
    ['too much', respondWith(`{"approved": true, "reason": "${'x'.repeat(70_000)}"}`)],
    ['a broken connection', (_, response) => void response.destroy()],
    [
      'a redirection to what would agree',
      (request, response) =>
        request.url === '/yes'
          ? response.end('{"approved": true}')
          : response.writeHead(307, { location: '/yes' }).end(),
    ],
  ])('approves nothing by %s', async (_, answer) => {
    expect(await runApproval(await webhook(answer))).toMatchObject({ answer: 'failed' })
  })

  it('that never answers has not approved', async () => {
    expect(await runApproval(await webhook(() => {}, { timeoutMs: 300 }))).toMatchObject({
      answer: 'timed-out',
    })
  })

  it('gets a request signed with the secret from a file', async () => {
    const dir = createFolder({ secret: 'between us\n' })
    let seen = { header: '', body: '' }
    const hook = await webhook(
      (request, response, body) => {
        seen = { header: String(request.headers['skills-signature']), body }
        response.end('{"approved": true}')
      },
      { secretFile: join(dir, 'secret') },
    )
    expect(await runApproval(hook)).toMatchObject({ answer: 'approved' })
    const [, time = '', mac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(seen.header) ?? []
    const right = createHmac('sha256', 'between us').update(`${time}.${seen.body}`).digest('hex')
    expect(mac).toBe(right)
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(120)
    chmodSync(join(dir, 'secret'), 0o666)
    expect(await runApproval(hook)).toMatchObject({
      answer: 'failed',
      reason: expect.stringContaining('Others can write') as string,
    })
  })
})
