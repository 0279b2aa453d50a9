import { expect, it } from 'vitest'
import { runtimeLanguages } from '../../../src/core/methods/runtime-languages/handler.ts'
import { chmodSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createExecutor } from '../../helpers/execute.ts'
import { createFolder } from '../../helpers/skills.ts'

it('reports of each language whether it is installed, and whether a test runs its program', async () => {
  const dir = realpathSync(createFolder({ 'bin/pwsh': '#!/bin/sh\necho 7.4.6\n' }))
  chmodSync(join(dir, 'bin/pwsh'), 0o755)
  const { runtime } = await createExecutor()
  const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, HOME: '/nonexistent' }
  const { languages } = await runtimeLanguages(runtime, {}, { cwd: dir, env })
  expect(languages).toHaveLength(17)
  const of = (name: string) => languages.find((each) => each.name === name)
  expect(of('powershell')).toMatchObject({
    installed: true,
    program: 'pwsh',
    version: '7.4.6',
    tried: false,
  })
  expect(of('shell')).toMatchObject({ installed: true, program: 'bash', tried: true })
  const none = await runtimeLanguages(
    runtime,
    {},
    { cwd: dir, env: { PATH: '/nonexistent', HOME: '/nonexistent' } },
  )
  expect(none.languages.find(({ name }) => name === 'elixir')).toMatchObject({
    installed: false,
    tried: null,
    install: expect.stringContaining('elixir'),
  })
  expect(JSON.stringify(languages)).not.toContain(dir)
}, 60_000)
