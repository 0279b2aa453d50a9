import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { policyCheck, repositoriesCheck } from '../../../src/core/doctor/checks/policy.ts'
import type { Machine } from '../../../src/core/doctor/check.ts'
import { createFolder } from '../../helpers/skills.ts'
import { trustProject } from '../../helpers/trust-project.ts'

const FILE = '.config/skills/policy.toml'

async function machineWith(policy: string, config = ''): Promise<Machine> {
  const cwd = createFolder({ [FILE]: policy, 'skills.config.toml': config, 'repo/x': '' })
  await trustProject(cwd, { HOME: cwd })
  const loaded = await loadConfig({ cwd, env: { HOME: cwd } })
  return { cwd, config: loaded.config } as Machine
}

describe('the doctor', () => {
  it('reports the active policy', async () => {
    const machine = await machineWith('[[rules]]\nname = "r"\nrefuse = "No"')
    const detail = `${join(machine.cwd, FILE)} (1 rule)`
    expect(await policyCheck.run(machine)).toEqual({ ok: true, detail })
  })

  it('reports a policy that blocks every run, and an approval without approver', async () => {
    const open = await machineWith('')
    chmodSync(join(open.cwd, FILE), 0o666)
    expect(await policyCheck.run(open)).toMatchObject({
      ok: false,
      fix: expect.stringContaining('chmod go-w') as string,
    })
    const broken = await machineWith('[alow]')
    expect(await policyCheck.run(broken)).toMatchObject({ ok: false, fix: 'Did you mean "allow"?' })
    const nobody = await machineWith('[[rules]]\nname = "r"\napprove = true')
    expect(await policyCheck.run(nobody)).toMatchObject({ ok: false })
  })

  it('reports an unusable repository', async () => {
    const good = await machineWith('', '[repositories]\napp = "repo"')
    expect(await repositoriesCheck.run(good)).toEqual({ ok: true, detail: 'app' })
    const bad = await machineWith('', '[repositories]\napp = "repo"\ngone = "/no/such"')
    const found = await repositoriesCheck.run(bad)
    expect(found).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not exist') as string,
    })
  })
})
