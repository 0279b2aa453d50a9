// @module-tag slow
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ErrorCode, SkillsError } from '../../../src/errors.ts'
import { DEFAULT_PATH, findProgram } from '../../../src/util/find-program.ts'
import { createFolder } from '../../helpers/skills.ts'
import type { ActionRun } from '../runs/run-action.ts'
import { buildMain, runPython } from '../runs/run-python.ts'

const BWRAP = findProgram('bwrap', process.env['PATH'] ?? DEFAULT_PATH)
const WITH_BUBBLEWRAP = { tags: ['bubblewrap'] }
const BUBBLEWRAP = { 'run.backend': 'bubblewrap' }
const CODE = buildMain('print("begun", flush=True)\nreturn 6 * 7')

/**
 * Creates a program that is found as bwrap: it runs this script and then the real bwrap, and counts
 * its starts.
 */
function fakeBwrap(script: string) {
  const dir = createFolder()
  const count = join(dir, 'count')
  const bin = createFolder({
    bwrap: `#!/bin/sh
echo x >> ${count}
number=$(wc -l < ${count})
${script}
exec ${BWRAP} "$@"
`,
  })
  chmodSync(join(bin, 'bwrap'), 0o755)
  return {
    env: { PATH: `${bin}:${process.env['PATH']}` },
    starts: () => (existsSync(count) ? readFileSync(count, 'utf8').length / 2 : 0),
  }
}

/** Runs code with this script in place of bwrap. */
async function runWith(script: string, options: ActionRun & { code?: string } = {}) {
  const { env, starts } = fakeBwrap(script)
  const thrown: { code?: ErrorCode; message?: string } = {}
  const call = { env, ...options.call }
  const settings = { ...BUBBLEWRAP, ...options.settings }
  const result = await runPython(options.code ?? CODE, { ...options, settings, call }).catch(
    (error: Error) => void Object.assign(thrown, error, { message: error.message }),
  )
  return { result, thrown, starts: starts() }
}

it(
  'a sandbox is started again if it was killed before its run began',
  WITH_BUBBLEWRAP,
  async () => {
    const { result, starts } = await runWith('[ $number = 1 ] && kill -9 $$')
    expect(result).toMatchObject({ status: 'completed', output: 42 })
    expect(result?.logs_preview.match(/begun/g)).toHaveLength(1)
    expect(starts).toBe(2)
  },
)

it('a sandbox is started again if it exited without a message', WITH_BUBBLEWRAP, async () => {
  const { result, starts } = await runWith('[ $number = 1 ] && exit 1')
  expect([result?.output, starts]).toEqual([42, 2])
})

it('a sandbox that is killed twice is reported and not started a third time', async () => {
  const { thrown, starts } = await runWith('kill -9 $$')
  expect(thrown).toMatchObject({
    code: 'sandbox/unavailable',
    message: 'The sandbox did not start: tried twice, it was killed by SIGKILL',
  })
  expect(starts).toBe(2)
})

it('a sandbox that exits twice without a message is reported with its exit code', async () => {
  const { thrown, starts } = await runWith('exit 3')
  expect(thrown.message).toBe(
    'The sandbox did not start: tried twice, it exited with code 3 and without a message',
  )
  expect(starts).toBe(2)
})

it('a sandbox is not started again if bwrap reports why it fails', async () => {
  const { thrown, starts } = await runWith('echo "bwrap: No permissions to create" >&2; exit 1')
  expect(thrown).toMatchObject({
    code: 'sandbox/unavailable',
    message: expect.stringMatching(/^This system does not let this user create namespaces/),
  })
  expect(starts).toBe(1)
})

it('a sandbox is not started a third time if its second start reports why it fails', async () => {
  const script = '[ $number = 1 ] && kill -9 $$; echo "bwrap: no" >&2; exit 1'
  const { thrown, starts } = await runWith(script)
  expect([thrown.message, starts]).toEqual(['The sandbox did not start: bwrap: no', 2])
})

it('a sandbox is not started again if it exceeded a limit during its start', async () => {
  const { result, thrown, starts } = await runWith('', {
    settings: { 'run.limits.memory': 256 * 1024 },
  })
  expect(result?.error?.message ?? thrown.message).toMatch(/needed more than 256 KiB of memory/)
  // The kernel may also end the program that precedes bwrap in the group.
  expect(starts).toBeLessThan(2)
})

it('a sandbox is not started again if it was cancelled meanwhile', async () => {
  const go = join(createFolder(), 'go')
  const { env, starts } = fakeBwrap(`while [ ! -e ${go} ]; do sleep 0.05; done; kill -9 $$`)
  const over = new AbortController()
  const running = runPython(CODE, {
    settings: BUBBLEWRAP,
    call: { env, signal: over.signal },
  }).catch(({ code }: SkillsError) => code)
  await expect.poll(starts, { interval: 10, timeout: 20_000 }).toBe(1)
  over.abort()
  writeFileSync(go, '')
  expect([await running, starts()]).toEqual(['run/cancelled', 1])
})

it('a sandbox that is started again has its network', WITH_BUBBLEWRAP, async () => {
  const code = buildMain(`import http.client
proxy = http.client.HTTPConnection(os.environ["http_proxy"].removeprefix("http://"), timeout=20)
proxy.request("GET", "http://other.test/")
return proxy.getresponse().status`)
  const { result, starts } = await runWith('[ $number = 1 ] && kill -9 $$', {
    code,
    call: { grants: { allowNetwork: true } },
    toml: '[permissions]\nnetwork = ["http://example.com"]\n',
  })
  // The proxy responds that the destination is not listed.
  expect([result?.output, result?.error, starts]).toEqual([403, undefined, 2])
})
