import { join, relative } from 'node:path'
import type { Finding } from '../../lint/finding.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { LintSkillParams, LintSkillResult } from './definition.ts'

const TIMEOUT_MS = 30_000

/** `lint_skill`: checks a skill. Its code is parsed, never executed. */
export async function lintSkill(
  { repository, config, offloader }: Pick<Services, 'repository' | 'config' | 'offloader'>,
  { name, version }: LintSkillParams,
  { env, signal }: Pick<RunCall, 'env' | 'signal'>,
): Promise<LintSkillResult> {
  const { dir } = await repository.resolve(name, version)
  const path = env['PATH']
  const input = { dir, config, env: path === undefined ? {} : { PATH: path } }
  const found = await (await offloader()).perform('lint', input, { timeoutMs: TIMEOUT_MS, signal })
  return {
    findings: found.findings.map((finding) => hideFolder(dir, finding)),
    errors: found.errors,
    warnings: found.warnings,
    infos: found.infos,
    failures: found.failures.map(({ message }) => ({ message: message.replaceAll(dir, '.') })),
  }
}

/** Paths relative to the skill: callers see no path of this machine. */
function hideFolder(dir: string, finding: Finding): LintSkillResult['findings'][number] {
  const { rule, severity, file, start, end, message, help, related, fix } = finding
  return {
    rule,
    severity,
    file,
    start: start ?? null,
    end: end ?? null,
    message: message.replaceAll(dir, '.'),
    help: help?.replaceAll(dir, '.') ?? null,
    related: related.map((each) => ({
      file: relative(dir, join(dir, each.path)),
      start: each.start ?? null,
      message: each.message,
    })),
    fix: fix ?? null,
  }
}
