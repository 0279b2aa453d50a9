// @module-tag slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const TOML = `name = "demo.needs"
version = "0.1.0"
description = "Says hello."
kind = "action"

[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"

[permissions]
secrets = ["DEMO_KEY"]
`

function createProject(requires: string) {
  const cwd = createFolder({
    'skills/needs/skill.toml': `${TOML}\n[requires]\n${requires}\n`,
    'skills/needs/SKILL.md': '---\nname: Needs\ndescription: Says hello.\n---\n# Needs\n',
    'skills/needs/code/main.py': 'import pathlib\n\ndef main(args):\n    return "started"\n',
  })
  return { cwd, env: { HOME: createFolder() } }
}

describe('requirements of a skill', () => {
  it.each([
    ['programs = ["no-such-program"]', 'the program "no-such-program" is missing'],
    ['environment = ["DEMO_REGION"]', 'the environment variable "DEMO_REGION" is not set for runs'],
    ['environment = ["DEMO_KEY"]', 'the environment variable "DEMO_KEY" is not set for runs'],
    ['os = ["windows"]', 'it is for windows, not for this system'],
  ])('%s that are not met are shown by list, and refuse a run', async (text, says) => {
    const at = createProject(text)
    const ran = await runSkills(['exec', 'demo.needs'], at)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain(`"demo.needs" cannot run on this machine: ${says}`)
    const listed = await runSkills(['list'], at)
    expect(listed.code).toBe(0)
    expect(listed.stderr).toContain(`demo.needs cannot run here: ${says}`)
    const { skills } = (await runSkills(['list', '--json'], at)).json() as {
      skills: { name: string; missing?: unknown[] }[]
    }
    expect(skills.find(({ name }) => name === 'demo.needs')?.missing).toHaveLength(1)
  })

  it('that are met do not stop a run, the control', async () => {
    const at = createProject(
      'programs = ["sh"]\nenvironment = ["DEMO_REGION"]\nos = ["linux", "macos"]',
    )
    writeFileSync(join(at.cwd, 'skills.config.toml'), '[run]\nenvironment = ["DEMO_REGION"]\n')
    const env = { ...at.env, DEMO_REGION: 'eu' }
    const ran = await runSkills(['exec', 'demo.needs', '--json'], { ...at, env, trusts: true })
    expect(ran.json()).toMatchObject({ status: 'completed', output: 'started' })
    const listed = await runSkills(['list', '--json'], { ...at, env })
    expect(JSON.stringify(listed.json())).toContain('"missing":[]')
  })

  it('of a variable that the shell has and runs do not get are not met', async () => {
    const at = createProject('environment = ["DEMO_REGION"]')
    const env = { ...at.env, DEMO_REGION: 'eu' }
    const ran = await runSkills(['exec', 'demo.needs'], { ...at, env })
    expect(ran.stderr).toContain('add it to run.environment in skills.config.toml')
  })
})
