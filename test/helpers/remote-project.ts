import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, runSkills, type CliResult } from './skills.ts'

export interface RemoteProject {
  cwd: string
  home: string
  lock: string
  /** Folder of installed skills. */
  skills: string
  run(...argv: string[]): Promise<CliResult>
  /** The lock as JSON. */
  readLock(): { skills: Record<string, unknown>[] }
}

/** An empty project and an empty home folder. */
export function createRemoteProject(env: Record<string, string> = {}): RemoteProject {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'skills.config.toml'), '')
  const home = createFolder()
  const lock = join(cwd, 'skills.lock')
  return {
    cwd,
    home,
    lock,
    skills: join(cwd, '.agents/skills'),
    run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: home, ...env } }),
    readLock: () => JSON.parse(readFileSync(lock, 'utf8')) as ReturnType<RemoteProject['readLock']>,
  }
}
