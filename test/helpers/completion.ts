import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN } from './built.ts'
import { createActionSkill, prefixPaths } from './projects.ts'
import { createFolder, runSkills } from './skills.ts'

const FULL_SKILL = {
  ...createActionSkill('test.full', {
    toml: `
[inputs]
city = { type = "string", description = "A city.\\tIts name.", required = true }
count = { type = "integer" }

[permissions]
secrets = ["API_KEY"]
`,
  }),
  'notes/it is.md': '',
}

/** A folder with a skill, a `skills` program, and a shell's script. */
export async function placeShellScript(shell: string) {
  const dir = createFolder({
    ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
    ...prefixPaths('skills/full', FULL_SKILL),
  })
  const { stdout } = await runSkills(['completion', shell])
  writeFileSync(join(dir, 'script'), stdout)
  writeFileSync(join(dir, 'run'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  })
  mkdirSync(join(dir, 'bin'))
  symlinkSync('../run', join(dir, 'bin/skills'))
  return dir
}

export function isShellInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0
}
