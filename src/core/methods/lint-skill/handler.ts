import { join, relative } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { OffloadedTasks } from '../../offload/tasks.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { LintSkillParams, LintSkillResult } from './definition.ts'

const TIMEOUT_MS = 30_000

type LintServices = Pick<Services, 'repository' | 'config' | 'offloader'>

/** Result for the content that a skill had. A list asks for all skills in view again and again. */
interface CheckedContent {
  digest: string
  config: Config
  result: LintSkillResult
}

const checked = new WeakMap<SkillEntry, CheckedContent>()

/** `lint_skill`: checks a skill. Its code is parsed, never executed. */
export async function lintSkill(
  services: LintServices,
  { name, version }: LintSkillParams,
  call: Pick<RunCall, 'env' | 'signal'>,
): Promise<LintSkillResult> {
  const { repository, config } = services
  const entry = await repository.resolve(name, version)
  const digest = await readSkillDigest(repository, entry)
  const known = checked.get(entry)
  if (known?.digest === digest && known?.config === config) return known.result
  const result = await check(services, entry.dir, call)
  // A failed check can succeed without a change of the skill.
  if (digest !== undefined && result.failures.length === 0) {
    checked.set(entry, { digest, config, result })
  }
  return result
}

/** A skill with a special file or too many files has no digest; lint reports it. */
async function readSkillDigest(
  repository: LintServices['repository'],
  entry: SkillEntry,
): Promise<string | undefined> {
  try {
    return await repository.digest(entry)
  } catch (thrown) {
    if (thrown instanceof SkillsError) return undefined
    throw thrown
  }
}

async function check(
  { config, offloader }: LintServices,
  dir: string,
  { env, signal }: Pick<RunCall, 'env' | 'signal'>,
): Promise<LintSkillResult> {
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

type DescribedFinding = OffloadedTasks['lint']['output']['findings'][number]

/** Paths relative to the skill: callers see no path of this machine. */
function hideFolder(dir: string, finding: DescribedFinding): LintSkillResult['findings'][number] {
  const { rule, severity, file, start, end, message, help, related, fix, diff } = finding
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
    diff: diff ?? null,
  }
}
