import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

describe('skills config', () => {
  it('shows every setting with its origin', async () => {
    const text = '[run]\ntimeout = "5s"\n[run.limits]\nmemory = "64m"\ncpu_time = 1500\n'
    const cwd = createFolder({ 'skills.config.toml': text })
    const { code, stdout } = await runSkills(['config'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/run\.timeout +5 s +project: \S+skills\.config\.toml:2/)
    expect(stdout).toMatch(/run\.limits\.memory +64 MiB +project/)
    expect(stdout).toMatch(/run\.limits\.cpu_time +1500 ms +project/)
    expect(stdout).toMatch(/run\.max_timeout +10 min +built in/)
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
    expect(json()['settings']).toContainEqual(
      expect.objectContaining({ key: 'run.timeout', value: 300_000, unit: 'ms' }),
    )
    const settings = json()['settings'] as { key: string; value: unknown; origin: object }[]
    expect(settings.find((each) => each.key === 'run.backend')).toMatchObject({
      value: 'bubblewrap',
      origin: { layer: 'environment', place: 'SKILLS_RUN_BACKEND' },
    })
  })
})
