import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../../core/languages/language.ts'
import { explainVerdict, type LayerVerdict } from '../../core/policy/explain-verdict.ts'
import { openProgramNetwork } from '../../core/policy/program-network.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { PolicyRequest } from '../../core/policy/policy-request.ts'
import { evaluatePolicy } from '../../core/policy/evaluate-policy.ts'
import type { PolicyVerdict } from '../../core/policy/verdict.ts'
import { resolvePrincipal } from '../../core/runs/describe-request.ts'
import type { Runtime } from '../../core/runtime.ts'
import { computeQueueLimits } from '../../core/open-services.ts'
import { getStoreFolder } from '../../core/storage/store-folders.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { openSources } from '../run/sources.ts'
import { formatTable } from '../ui/table.ts'
import { readPolicyFlags } from './flags.ts'
import { readPolicyRequest, type PolicyRequestInput } from './read-request.ts'

const EXIT_DENIED = 1

/** `skills policy check`: the decision of each layer, without a run. */
export async function checkPolicyRequest(context: Context, call: CommandLine): Promise<number> {
  const written = readPolicyRequest(await readRequestText(context, call.args[0]))
  const runtime = await openRuntime(context, readPolicyFlags(context, call))
  const policy = await runtime.policy()
  const requested = await resolvePolicyRequest(context, runtime, written)
  const request = withOpenedNetwork(requested, policy)
  const verdict = evaluatePolicy(request, policy)
  const { config } = runtime
  const auditDir = getStoreFolder(config.directories.data, 'audit')
  const auditContext = { ...computeQueueLimits(config), auditDir }
  const layers = explainVerdict({ request, policy }, verdict, auditContext)
  const isAsked = verdict.approval.length > 0
  const allowed = verdict.allowed && (!isAsked || policy.approval !== undefined)
  if (context.global.json) {
    const checked = {
      allowed,
      needs_approval: isAsked,
      ...explainDecision(verdict, allowed),
      request: toSnakeKeys(request),
      layers,
    }
    const { timeoutMs, outputBytes } = verdict.limits
    context.document('skills.policy-check/v1', {
      ...checked,
      rules: verdict.rules,
      approval: verdict.approval,
      limits: { timeout_ms: timeoutMs, output_bytes: outputBytes },
      require: { aslr: verdict.aslr === true },
      audit_hash: verdict.auditHash,
    })
  } else if (allowed) showLayers(context, layers, isAsked ? 'needs approval' : 'allowed')
  else showLayers(context, layers, 'denied')
  return allowed ? 0 : EXIT_DENIED
}

/** A program gets the destinations that `[[programs]]` opens, as in its run. */
function withOpenedNetwork(request: PolicyRequest, policy: Policy): PolicyRequest {
  if (request.kind !== 'execute' || request.network.length > 0) return request
  return { ...request, network: openProgramNetwork(request, policy) }
}

function explainDecision({ denials: [first] }: PolicyVerdict, allowed: boolean) {
  if (first) return { code: first.code, layer: first.layer }
  return allowed ? { code: null, layer: null } : { code: 'approval-failed', layer: 'approval' }
}

function showLayers(context: Context, layers: readonly LayerVerdict[], verdict: string): void {
  const { style } = context
  const paint = (text: string) => {
    if (text.startsWith('deny')) return style.red(text)
    return text.startsWith('ask') ? style.yellow(text) : style.green(text)
  }
  const rows = layers.map(({ layer, verdict: says, sentence, denials }) => {
    const [first] = denials
    const code = first ? `${first.code}: ` : ''
    return [layer, says, toPrintable(`${code}${sentence}`)]
  })
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, paint] }))
  context.print(verdict === 'denied' ? style.red(verdict) : style.green(verdict))
}

/** Reads the request: inline JSON, a file, or standard input. */
async function readRequestText(
  context: Context,
  requestSource: string | undefined,
): Promise<string> {
  const sources = openSources(context)
  if (requestSource === '-' || (requestSource === undefined && context.stdin.isTTY !== true)) {
    return await sources.readStdin()
  }
  if (requestSource === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the request', {
      hint: 'Type for example: skills policy check \'{"runtime": "python", "timeoutMs": 60000}\'',
    })
  }
  if (requestSource.trimStart().startsWith('{') && !existsSync(resolve(context.cwd, requestSource)))
    return requestSource
  return sources.readText(requestSource)
}

/** Resolves a request in the order of a run: repository and folder, then program, then skills. */
async function resolvePolicyRequest(
  context: Context,
  runtime: Runtime,
  written: PolicyRequestInput,
): Promise<PolicyRequest> {
  const { kind, door = 'cli', caller, language, repository, network, environment } = written
  const { findExecutionLocation } = await import('../../core/programs/find-execution-location.ts')
  const params = { repoId: repository, relativeCwd: written.cwd } as ExecuteParams
  const { cwd } = await findExecutionLocation(runtime, params)
  requireKnownLanguage(language)
  const principal = resolvePrincipal({ cwd: context.cwd, env: context.env, door: 'cli', caller })
  return {
    kind,
    ...principal,
    door,
    skills: await Promise.all(written.skills.map(async (name) => await addVersion(runtime, name))),
    language: language ?? (kind === 'execute_skill' || kind === 'run_code' ? 'python' : undefined),
    executable: await resolveExecutable(context, runtime, written),
    repository,
    cwd,
    timeoutMs: written.timeoutMs,
    network,
    environment,
  }
}

async function resolveExecutable(
  { cwd, env }: Context,
  runtime: Runtime,
  { kind, language, executable }: PolicyRequestInput,
): Promise<PolicyRequest['executable']> {
  if (kind !== 'execute' || language === undefined) return undefined
  const { findLanguage } = await import('../../core/programs/find-language.ts')
  const { describeExecutable } = await import('../../core/programs/describe-executable.ts')
  const params: ExecuteParams = { runtime: language as LanguageName, executable }
  const found = await findLanguage(runtime, params, { cwd, env })
  return await describeExecutable(runtime, { params, found, call: { env } })
}

function requireKnownLanguage(language: string | undefined): void {
  if (language === undefined || (LANGUAGE_NAMES as readonly string[]).includes(language)) return
  const suggestion = findNearest(language, LANGUAGE_NAMES)
  throw new SkillsError('usage/invalid', `Unknown language "${language}"`, {
    hint:
      suggestion === undefined
        ? `Expected one of ${LANGUAGE_NAMES.join(', ')}`
        : `Did you mean "${suggestion}"?`,
  })
}

/** Adds the version, as rules match it; an unknown skill is matched by name alone. */
async function addVersion({ repository }: Runtime, name: string): Promise<string> {
  if (name.includes('@')) return name
  try {
    const entry = await repository.resolve(name)
    return `${entry.name}@${entry.version}`
  } catch {
    return name
  }
}
