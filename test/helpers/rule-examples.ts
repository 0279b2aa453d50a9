import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { EXAMPLE_SKILL } from '../../src/core/lint/example-skill.ts'
import { lintSkills, type LintOptions, type LintResult } from '../../src/core/lint/lint.ts'
import type { Rule, RuleExample } from '../../src/core/lint/rule.ts'
import { findSkillsBelow } from '../../src/core/lint/targets.ts'
import { createFolder } from './skills.ts'

/** Writes the example skill with an example's changes; returns the folder that contains it. */
export function writeExample(example: RuleExample): string {
  const root = createFolder()
  const base = join(root, 'greet')
  for (const [path, content] of Object.entries({ ...EXAMPLE_SKILL, ...withoutBytes(example) })) {
    if (content !== null) write(join(base, path), content)
  }
  for (const [path, special] of Object.entries(example)) {
    if (typeof special === 'object' && special !== null) plantSpecial(join(base, path), special)
  }
  return root
}

function withoutBytes(example: RuleExample): Record<string, string | null> {
  const texts = Object.entries(example).filter(
    ([, content]) => typeof content !== 'object' || content === null,
  )
  return Object.fromEntries(texts) as Record<string, string | null>
}

function plantSpecial(file: string, special: Exclude<RuleExample[string], string | null>): void {
  mkdirSync(dirname(file), { recursive: true })
  if (special.folder) mkdirSync(file)
  else if (special.fifo) execFileSync('mkfifo', [file])
  else if (special.symlink !== undefined) symlinkSync(special.symlink, file)
  else if (special.content !== undefined) {
    rmSync(file, { force: true })
    writeFileSync(file, special.content)
  }
  if (special.mode !== undefined) chmodSync(file, special.mode)
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode: 0o644 })
}

/** Lints a folder. */
export async function lintFolder(
  root: string,
  { roots = [root], ...options }: Partial<LintOptions> & { roots?: readonly string[] } = {},
): Promise<LintResult> {
  const { config } = await loadConfig({ cwd: root, env: { HOME: root }, noFiles: true })
  return lintSkills({
    cwd: root,
    config: {
      ...config,
      roots,
      lint: { ...config.lint, profiles: ['agent-skills', 'mcp', 'openai', 'claude-api'] },
    },
    env: process.env,
    skills: findSkillsBelow(root).sort(),
    ...options,
  })
}

export async function lintExample(
  rule: Rule,
  example: RuleExample,
  options: Partial<LintOptions> = {},
) {
  const root = writeExample(example)
  const result = await lintFolder(root, { only: [rule], ...options })
  return { root, result }
}
