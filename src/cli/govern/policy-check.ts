import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../../core/languages/language.ts'
import { explainVerdict, type LayerVerdict } from '../../core/policy/explain-verdict.ts'
import type { PolicyRequest } from '../../core/policy/policy-request.ts'
import { judge } from '../../core/policy/judge.ts'
import type { PolicyVerdict } from '../../core/policy/verdict.ts'
import { resolvePrincipal } from '../../core/runs/describe-request.ts'
import type { Runtime } from '../../core/runtime.ts'
import { queueLimits } from '../../core/open-services.ts'
import { SkillsError } from '../../errors.ts'
import { nearest } from '../../util/nearest.ts'
import { printable } from '../../util/printable.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { openSources } from '../run/sources.ts'
import { table } from '../ui/table.ts'
import { policyFlags } from './policy-flags.ts'
import { readRequest, type WrittenRequest } from './read-request.ts'

const DENIED = 1

/** `skills policy check`: what each layer says of a request; nothing is run. */
export async function check(context: Context, call: Call): Promise<number> {
  const written = readRequest(await requestText(context, call.args[0]))
  const runtime = await openRuntime(context, policyFlags(context, call))
  const policy = await runtime.policy()
  const request = await lookUp(context, runtime, written)
  const verdict = judge(request, policy)
  const { config } = runtime
  const auditDir = join(config.directories.data, 'audit')
  const around = { ...queueLimits(config), auditDir }
  const layers = explainVerdict({ request, policy }, verdict, around)
  const isAsked = verdict.approval.length > 0
  const allowed = verdict.allowed && (!isAsked || policy.approval !== undefined)
  if (context.global.json) {
    const checked = {
      allowed,
      needs_approval: isAsked,
      ...reasonOf(verdict, allowed),
      request,
      layers,
    }
    const { timeoutMs, outputBytes } = verdict.limits
    context.document('skills.policy-check/v1', {
      ...checked,
      rules: verdict.rules,
      approval: verdict.approval,
      limits: { timeout_ms: timeoutMs, output_bytes: outputBytes },
      audit_hash: verdict.auditHash,
    })
  } else if (allowed) show(context, layers, isAsked ? 'needs approval' : 'allowed')
  else show(context, layers, 'denied')
  return allowed ? 0 : DENIED
}

function reasonOf({ denials: [first] }: PolicyVerdict, allowed: boolean) {
  if (first) return { code: first.code, layer: first.layer }
  return allowed ? { code: null, layer: null } : { code: 'approval-failed', layer: 'approval' }
}

function show(context: Context, layers: readonly LayerVerdict[], verdict: string): void {
  const { style } = context
  const paint = (text: string) => {
    if (text.startsWith('deny')) return style.red(text)
    return text.startsWith('ask') ? style.yellow(text) : style.green(text)
  }
  const rows = layers.map(({ layer, verdict: says, sentence, denials }) => {
    const [first] = denials
    const code = first ? `${first.code}: ` : ''
    return [layer, says, printable(`${code}${sentence}`)]
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(table(rows, { columns, paint: [style.cyan, paint] }))
  context.print(verdict === 'denied' ? style.red(verdict) : style.green(verdict))
}

/** The request itself, a file that holds it, or standard input. */
async function requestText(context: Context, given: string | undefined): Promise<string> {
  const sources = openSources(context)
  if (given === '-' || (given === undefined && context.stdin.isTTY !== true)) {
    return await sources.standardInput()
  }
  if (given === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the request', {
      hint: 'Type for example: skills policy check \'{"runtime": "python", "timeoutMs": 60000}\'',
    })
  }
  if (given.trimStart().startsWith('{') && !existsSync(resolve(context.cwd, given))) return given
  return sources.text(given)
}

/** Looks at what a run would look at: repository and folder, then the program, then skills. */
async function lookUp(
  context: Context,
  runtime: Runtime,
  written: WrittenRequest,
): Promise<PolicyRequest> {
  const { kind, door = 'cli', caller, language, repository, network, environment } = written
  const { findExecutionLocation } = await import('../../core/programs/find-execution-location.ts')
  const params = { repoId: repository, relativeCwd: written.cwd } as ExecuteParams
  const { cwd } = await findExecutionLocation(runtime, params)
  checkLanguage(language)
  const who = resolvePrincipal({ cwd: context.cwd, env: context.env, door: 'cli', caller })
  return {
    kind,
    ...who,
    door,
    skills: await Promise.all(written.skills.map(async (name) => await withVersion(runtime, name))),
    language: language ?? (kind === 'execute_skill' || kind === 'run_code' ? 'python' : undefined),
    executable: await executableOf(context, runtime, written),
    repository,
    cwd,
    timeoutMs: written.timeoutMs,
    network,
    environment,
  }
}

async function executableOf(
  { cwd, env }: Context,
  runtime: Runtime,
  { kind, language, executable }: WrittenRequest,
): Promise<PolicyRequest['executable']> {
  if (kind !== 'execute' || language === undefined) return undefined
  const { describeExecutable, findLanguage } = await import('../../core/programs/find-language.ts')
  const params: ExecuteParams = { runtime: language as LanguageName, executable }
  return describeExecutable(params, await findLanguage(runtime, params, { cwd, env }))
}

function checkLanguage(language: string | undefined): void {
  if (language === undefined || (LANGUAGE_NAMES as readonly string[]).includes(language)) return
  const meant = nearest(language, LANGUAGE_NAMES)
  throw new SkillsError('usage/invalid', `There is no language "${language}"`, {
    hint:
      meant === undefined ? `Name one of ${LANGUAGE_NAMES.join(', ')}` : `Did you mean "${meant}"?`,
  })
}

/** As rules know it; a skill that is not there is judged by the name alone. */
async function withVersion({ repository }: Runtime, name: string): Promise<string> {
  if (name.includes('@')) return name
  try {
    const entry = await repository.resolve(name)
    return `${entry.name}@${entry.version}`
  } catch {
    return name
  }
}
