import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { createInstallProject } from './install-project.ts'

describe('commands about installed skills state what happened and what to type next', () => {
  it('an installation and a restoration name the links of agents', async () => {
    const { source, cwd, run } = createInstallProject()
    const options = ['--agent', 'claude-code', '--yes']
    const link = '\n  link .claude/skills/greet\n'
    expect((await run('install', source, ...options)).stdout).toContain(link)
    rmSync(join(cwd, '.claude/skills/greet'))
    const missing = await run('verify')
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('Type "skills install" to restore'),
    ])
    const restored = await run('install', '--json')
    expect(JSON.parse(restored.stdout)).toMatchObject({
      installed: [
        {
          name: 'demo.greet',
          agents: [{ agent: 'claude-code', mode: 'link', path: '.claude/skills/greet' }],
        },
      ],
    })
  })

  it('verify names the command that replaces changed files', async () => {
    const { source, installed, run } = createInstallProject()
    await run('install', source, '--yes')
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' })
    appendFileSync(join(installed, 'SKILL.md'), 'changed')
    const { code, stderr } = await run('verify')
    expect([code, stderr]).toEqual([1, expect.stringContaining('Type "skills install --yes"')])
  })

  it('the list of pending skills names the command that shows one', async () => {
    const { source, run } = createInstallProject()
    expect(await run('install', source)).toMatchObject({ code: 4 })
    expect((await run('install', '--pending')).stderr).toContain(
      'Type "skills install --pending demo.greet"',
    )
  })

  it('--frozen without a lock asks for a committed lock', async () => {
    const { code, stderr } = await createInstallProject().run('install', '--frozen')
    expect([code, stderr]).toEqual([3, expect.stringContaining('commit skills.lock')])
  })

  it('an update shows the commit of the source, and no advice for authors', async () => {
    const repository = createGitRepository(createActionSkill('demo.greet'))
    const project = createRemoteProject()
    await project.run('install', repository.url, '--yes')
    const commit = repository.commit({ 'notes.md': 'Notes' })
    const previewed = await project.run('update', '--dry-run', '--allow-republished')
    expect(previewed.stderr).toContain('Type "skills update"')
    const { stderr } = await project.run('update', '--yes', '--allow-republished')
    expect(stderr).toContain(`now ${repository.url}#${commit}`)
    expect(stderr).toContain('0 files changed, 1 added')
    expect(stderr).not.toContain('Suggested step')
  })
})
