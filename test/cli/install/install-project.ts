import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'

const RIGHTS = '[permissions]\nnetwork = ["https://api.example.com"]\n'

/** A project without skills, next to the folder `source/greet` of a skill. */
export interface InstallProject {
  cwd: string
  home: string
  /** Folder of the source. */
  source: string
  lock: string
  installed: string
  run(...argv: string[]): Promise<CliResult>
  /** The same as a user of another machine. */
  runElsewhere(...argv: string[]): Promise<CliResult>
}

export function createInstallProject(): InstallProject {
  const base = createFolder(
    prefixPaths('source/greet', createInstructionSkill('demo.greet', { toml: RIGHTS })),
  )
  const cwd = join(base, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'skills.config.toml'), '')
  const [home, other] = [createFolder(), createFolder()]
  const runAs =
    (HOME: string) =>
    async (...argv: string[]) =>
      await runSkills(argv, { cwd, env: { HOME } })
  return {
    cwd,
    home,
    source: join(base, 'source/greet'),
    lock: join(cwd, 'skills.lock'),
    installed: join(cwd, '.agents/skills/greet'),
    run: runAs(home),
    runElsewhere: runAs(other),
  }
}
