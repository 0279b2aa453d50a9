import { expect, it, onTestFinished, vi } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

// skills doctor compiles a program of each installed language.
vi.setConfig({ testTimeout: 300_000 })

interface DoctorReport {
  ok: boolean
  checks: readonly { id: string; needed: boolean; ok: boolean; fix: string | null }[]
}

it.each([
  ['darwin', 'brew install podman'],
  ['win32', 'wsl --install'],
] as const)(
  'the doctor reports one failed requirement on %s without an engine',
  async (platform, fix) => {
    const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
    Object.defineProperty(process, 'platform', { ...own, value: platform })
    onTestFinished(() => void Object.defineProperty(process, 'platform', own))
    const cwd = createFolder()
    const env = { PATH: '/nowhere', HOME: cwd }
    const { code, json } = await runSkills(['doctor', '--json'], { cwd, env })
    const report = json() as unknown as DoctorReport
    expect(code).toBe(1)
    const failed = report.checks.filter((check) => check.needed && !check.ok)
    expect(failed.map(({ id }) => id)).toEqual(['container-engine'])
    expect(failed[0]?.fix).toContain(fix)
    expect(report.checks.map(({ id }) => id)).not.toContain('bubblewrap')
  },
)
