import { describe, expect, it } from 'vitest'
import { strangersCheck } from '../../../src/core/doctor/checks/strangers.ts'
import type { BackendName } from '../../../src/core/sandbox/isolation.ts'
import { createMachine } from '../../helpers/machine.ts'

async function checkBackend(backend: BackendName, strangers: 'any' | 'kernel' = 'any') {
  const machine = await createMachine()
  const run = { ...machine.config.run, backend, isolation: { strangers } }
  return await strangersCheck.run({ ...machine, config: { ...machine.config, run } })
}

describe("the tier that strangers' code gets here", () => {
  it('is that of a sandbox which starts, and names the kernel', async () => {
    const { ok, detail } = await checkBackend('namespaces')
    expect(ok).toBe(true)
    expect(detail).toMatch(/^(?:strict|weak) tier on the kernel of this machine, by namespaces/)
  })

  it('is none where a kernel of its own is required, and the backend has the one of the machine', async () => {
    expect(await checkBackend('namespaces', 'kernel')).toMatchObject({
      ok: false,
      detail: expect.stringContaining(
        'the backend "namespaces" uses that of this machine',
      ) as string,
      fix: expect.stringContaining('leave out run.backend') as string,
    })
  })

  it('is no isolation with the backend that has none, and the fix names the setting', async () => {
    expect(await checkBackend('process')).toEqual({
      ok: false,
      detail: 'process isolates nothing: code can do what this user can',
      fix: 'Remove run.backend = "process" from the configuration',
    })
  })
})
