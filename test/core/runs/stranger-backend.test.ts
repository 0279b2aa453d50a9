import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createSkillJob } from '../../../src/core/methods/execute-skill/handler.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { planRun } from '../../../src/core/runs/plan-run.ts'
import type { Backend } from '../../../src/core/sandbox/backend.ts'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { readEntryAt } from '../../../src/core/skills/repository/open-repository.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

const MANIFEST = `name = "demo.hello"
version = "0.1.0"
description = "Says hello."
kind = "action"
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
`
const FILES = { 'SKILL.md': '# Hello\n', 'code/main.py': 'def main(args):\n    return 1\n' }
const PIN = `greetings==1.0 --hash=sha256:${'a'.repeat(64)}\n`

/** Backends as usual, except that containers cannot restrict a run to its destinations. */
class UnfilteredContainers extends Sandboxes {
  override async openBackend(...request: Parameters<Sandboxes['openBackend']>): Promise<Backend> {
    const backend = await super.openBackend(...request)
    if (backend.name !== 'container') return backend
    return { ...backend, guarantees: { ...backend.guarantees, filtersNetwork: false } }
  }
}

/** Plans a run of a skill whose author is a stranger or not, where strangers get another backend. */
async function plan(manifest: string, isStranger: boolean) {
  const cwd = createFolder()
  writeTree(cwd, { 'hello/skill.toml': MANIFEST + manifest, 'hello/python.lock': PIN })
  writeTree(`${cwd}/hello`, FILES)
  const env = { HOME: cwd, PATH: process.env['PATH'] }
  const { config } = await loadConfig({
    cwd,
    env,
    noFiles: true,
    flags: {
      'run.backend': 'auto',
      'run.isolation.strangers': 'kernel',
      'run.container.image': 'localhost/none',
    },
  })
  const runtime = createRuntime({ config, sandboxes: new UnfilteredContainers() })
  const findStranger = async () => (isStranger ? 'The skill "demo.hello" was uploaded' : undefined)
  const entry = await readEntryAt(`${cwd}/hello`)
  const job = await createSkillJob(runtime, { entry, args: {} })
  return await planRun({ ...runtime, findStranger }, job, {
    cwd,
    env,
    grants: { allowNetwork: true },
  })
}

describe.skipIf(process.platform !== 'linux')('permissions of a run with code of strangers', () => {
  const network = '[permissions]\nnetwork = ["https://a.example"]\n'
  const packages = '[dependencies]\npython = "python.lock"\n'

  it('lack a network that the backend of that run cannot filter', async () => {
    await expect(plan(network, true)).rejects.toMatchObject({ code: 'policy/denied' })
    const own = await plan(network, false)
    expect(own).toMatchObject({ hosts: ['https://a.example'], isAllowed: true })
  })

  it('lack packages of this machine if that run is in an image', async () => {
    await expect(plan(packages, true)).rejects.toThrow(/not for those of a container image/)
    await expect(plan(packages, false)).rejects.toThrow(/are not installed for Python/)
  })
})
