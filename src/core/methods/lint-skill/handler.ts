import { join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { memoize } from '../../../util/memoize.ts'
import { SharedTask } from '../../offload/shared-task.ts'
import type { OffloadedTasks } from '../../offload/tasks.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { LintSkillParams, LintSkillResult } from './definition.ts'

const TIMEOUT_MS = 30_000

type LintServices = Pick<Services, 'repository' | 'config' | 'offloader'>

type LintCall = Pick<RunCall, 'env' | 'signal' | 'caller'>

/** Lint of the files that a skill had. A list asks for all skills in view again and again. */
interface KnownLint {
  signature: string
  config: Config
  /** Shared by all callers while it runs. */
  task: SharedTask<LintSkillResult>
  /** Present after a check without failures. */
  result?: LintSkillResult
}

const findLintSlot = memoize((_entry: SkillEntry): { lint?: KnownLint } => ({}))

/** `lint_skill`: checks a skill. Its code is parsed, never executed. */
export async function lintSkill(
  services: LintServices,
  { name, version }: LintSkillParams,
  call: LintCall,
): Promise<LintSkillResult> {
  const { repository, config } = services
  const entry = await repository.resolve(name, version)
  const signature = repository.signature(entry)
  const slot = findLintSlot(entry)
  const known = slot.lint
  const isCurrent = isSameState(known, { signature, config })
  if (isCurrent && known.result) return known.result
  if (isCurrent && !known.task.isAbandoned) return await known.task.join(call.signal)
  const lint: KnownLint = {
    signature,
    config,
    task: new SharedTask(async (signal) => {
      const result = await check(services, entry.dir, { ...call, signal })
      // A failed check can succeed without a change, and a file may have changed meanwhile.
      const isUnchanged = isSameState(lint, { signature: repository.signature(entry), config })
      if (isUnchanged && result.failures.length === 0) lint.result = result
      return result
    }),
  }
  slot.lint = lint
  return await lint.task.join(call.signal)
}

/** The signature of files that cannot be read is empty, and equals no other. */
function isSameState(
  known: KnownLint | undefined,
  { signature, config }: Pick<KnownLint, 'signature' | 'config'>,
): known is KnownLint {
  return signature !== '' && known?.signature === signature && known.config === config
}

async function check(
  { config, offloader }: LintServices,
  dir: string,
  { env, signal, caller }: LintCall,
): Promise<LintSkillResult> {
  const path = env['PATH']
  const input = { dir, config, env: path === undefined ? {} : { PATH: path } }
  const options = { timeoutMs: TIMEOUT_MS, signal, principal: caller?.principal }
  const found = await (await offloader()).perform('lint', input, options)
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
