import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../src/core/config/load-config.ts'
import type { ExecuteParams } from '../../src/core/methods/runtime-execute/definition.ts'
import { executeRequest } from '../../src/core/programs/execute.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createFolder } from './skills.ts'
import { trustProject } from './trust-project.ts'

/** A home folder with tools, a repository and a configuration, for one test. */
export interface UserMachine {
  home: string
  /** Runs a command line in the repository, with these folders of the home in PATH. */
  shell(code: string, options?: ShellOptions): Promise<string>
  run(params: ExecuteParams, options?: ShellOptions): ReturnType<typeof executeRequest>
}

interface ShellOptions {
  folders?: readonly string[]
  env?: Record<string, string>
}

/** Creates a user's home folder with files, a repository in `api`, and a configuration. */
export async function createUser(
  files: Record<string, string>,
  { settings = '', links = {} }: { settings?: string; links?: Record<string, string> } = {},
): Promise<UserMachine> {
  const home = realpathSync(createFolder({ 'api/main.txt': 'x', 'project/keep': '' }))
  chmodSync(home, 0o755)
  const all = { ...files, '.config/skills/config.toml': settings }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text.replaceAll('HOME_DIR', home))
    if (text.startsWith('#!')) chmodSync(join(home, path), 0o755)
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    symlinkSync(target.replaceAll('HOME_DIR', home), join(home, path))
  }
  const cwd = join(home, 'project')
  writeFileSync(join(cwd, 'skills.config.toml'), '[repositories]\nown = "../api"\n')
  const run: UserMachine['run'] = async (params, { folders = [], env = {} } = {}) => {
    const PATH = [...folders.map((each) => join(home, each)), '/usr/bin', '/bin'].join(':')
    const own = { PATH, HOME: home, ...env }
    await trustProject(cwd, own)
    const { config } = await loadConfig({ cwd, env: own })
    const request: ExecuteParams = { outputMode: 'summary', repoId: 'own', ...params }
    return await executeRequest(createRuntime({ config }), request, {
      call: { cwd, env: own },
    })
  }
  const shell: UserMachine['shell'] = async (code, options) => {
    const { stdoutSummary, stderrSummary } = await run({ runtime: 'shell', code }, options)
    return `${stdoutSummary}${stderrSummary}`
  }
  return { home, run, shell }
}
