import { describe, expect, it } from 'vitest'
import { trySandbox } from '../../../src/core/doctor/try-sandbox.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { createFolder } from '../../helpers/skills.ts'

const isRoot = process.getuid?.() === 0

async function probe(backend: 'namespaces' | 'bubblewrap' | 'process') {
  const cwd = createFolder()
  const env = { PATH: process.env['PATH'], HOME: cwd }
  const { config } = await loadConfig({ cwd, env, file: undefined, noFiles: true, flags: {} })
  const { repository, sandboxes } = createRuntime({ config, cacheDir: null })
  const configuration = { files: [], problems: [] }
  const machine = { cwd, env, config, configuration, repository, sandboxes, packageRoot: cwd }
  return (await trySandbox(machine, backend)).output as Record<string, boolean>
}

describe('the sandbox probe of the doctor', () => {
  it.each(['namespaces', 'bubblewrap'] as const)(
    'is denied every access by %s',
    async (backend) => {
      const answers = await probe(backend)
      expect(Object.keys(answers).length).toBeGreaterThanOrEqual(8)
      expect(Object.entries(answers).filter(([, able]) => able)).toEqual([])
    },
  )

  const whyNot = isRoot ? '' : ' (not run: only root gets through everywhere)'
  it.skipIf(!isRoot)(`has access without a sandbox${whyNot}`, async () => {
    const answers = await probe('process')
    expect(answers).toMatchObject({
      'reads /etc/shadow': true,
      'writes to /usr': true,
      'changes the system': true,
      'is root': true,
      'asks for keys': true,
      'writes more than its workspace holds': true,
      'makes namespaces': true,
    })
  })
})
