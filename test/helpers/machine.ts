import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../../src/core/doctor/check.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { findProgram } from '../../src/util/find-program.ts'
import { createFolder } from './skills.ts'

interface MachineOptions {
  /** Search path for programs. */
  path?: string | undefined
  /** Settings by key. */
  flags?: Readonly<Record<string, unknown>>
}

/** Creates the input of the doctor's checks, without files of configuration and without a cache. */
export async function createMachine({
  path = process.env['PATH'],
  flags = {},
}: MachineOptions = {}): Promise<Machine> {
  const cwd = createFolder()
  const env = { PATH: path, HOME: cwd }
  const { config } = await loadConfig({ cwd, env, file: undefined, noFiles: true, flags })
  const { repository, sandboxes } = createRuntime({ config, cacheDir: null })
  const configuration = { files: [], problems: [] }
  return { cwd, env, config, configuration, repository, sandboxes, packageRoot: cwd }
}

/** Creates a search path with Python, a shell and these scripts, by name. */
export function createSearchPath(scripts: Readonly<Record<string, string>> = {}): string {
  const bin = createFolder()
  // Root's runs have another user id.
  chmodSync(bin, 0o755)
  for (const name of ['python3', 'true', 'sh', 'ln']) {
    if (scripts[name] === undefined) symlinkSync(findSystemProgram(name), join(bin, name))
  }
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

export function findSystemProgram(name: string): string {
  return findProgram(name, '/usr/bin:/bin') as string
}
