import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

describe('skills config', () => {
  it('shows every setting with its origin', async () => {
    const cwd = createFolder({ 'skills.config.toml': '[run]\ntimeout = "5s"\n' })
    const { code, stdout } = await runSkills(['config'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/run\.timeout +5000 +project: \S+skills\.config\.toml:2/)
    expect(stdout).toMatch(/run\.backend +auto +built in/)
  })

  it('prints one value for a script', async () => {
    const { stdout } = await runSkills(['config', 'run.backend'])
    expect(stdout).toBe('auto\n')
  })

  it('suggests a similar setting', async () => {
    const { code, stderr } = await runSkills(['config', 'run.timeot'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean "skills config run.timeout"?')
  })

  it('prints one JSON document', async () => {
    const { json } = await runSkills(['config', '--json'], {
      env: { SKILLS_RUN_BACKEND: 'bubblewrap' },
    })
    const settings = json()['settings'] as { key: string; value: unknown; origin: object }[]
    expect(settings.find((each) => each.key === 'run.backend')).toMatchObject({
      value: 'bubblewrap',
      origin: { layer: 'environment', place: 'SKILLS_RUN_BACKEND' },
    })
  })
})
