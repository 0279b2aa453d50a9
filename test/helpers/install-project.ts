import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInstructionSkill, prefixPaths } from './projects.ts'
import { createFolder, runSkills, type CliInvocation, type CliResult } from './skills.ts'

/** A project without skills, next to the folder of a skill, and a home folder. */
export interface InstallFixture {
  cwd: string
  home: string
  /** Source of `demo.greet`, relative to the project. */
  source: string
  run(...argv: string[]): Promise<CliResult>
  runIn(cwd: string, ...argv: string[]): Promise<CliResult>
  runWith(at: CliInvocation, ...argv: string[]): Promise<CliResult>
}

export function createInstallProject(config = ''): InstallFixture {
  const base = createFolder(prefixPaths('source/greet', createInstructionSkill('demo.greet')))
  const cwd = join(base, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'skills.config.toml'), config)
  const home = createFolder()
  const env = { HOME: home }
  return {
    cwd,
    home,
    source: '../source/greet',
    run: async (...argv) => await runSkills(argv, { cwd, env }),
    runIn: async (folder, ...argv) => await runSkills(argv, { cwd: folder, env }),
    runWith: async (at, ...argv) =>
      await runSkills(argv, { cwd, ...at, env: { ...env, ...at.env } }),
  }
}
