import { SkillsError } from '../errors.ts'
import { findNearest } from '../util/find-nearest.ts'
import { createSender, type RuntimeTarget } from './send-request.ts'
import type { Requirement } from './requirement.ts'
import { RequirementFailed, RequirementUntested } from './assertions.ts'
import { openConformanceSession, type ConformanceSession } from './session.ts'

export type Verdict = 'passed' | 'failed' | 'untried'

/** The outcome of one requirement. */
export interface ConformanceFinding {
  requirement: Requirement
  verdict: Verdict
  /** Why the requirement failed or was not tested. */
  reason: string | undefined
  durationMs: number
}

export interface ConformanceOptions extends RuntimeTarget {
  requirements: readonly Requirement[]
  /** Ids of the reported requirements. Their prerequisites are checked too. */
  selectedIds: ReadonlySet<string>
  onFinding?: (finding: ConformanceFinding) => void
}

/** Checks the requirements one by one. Throws SkillsError if no runtime responds. */
export async function checkRuntime(options: ConformanceOptions): Promise<ConformanceFinding[]> {
  const { requirements, selectedIds, onFinding = () => {}, signal } = options
  await requireRuntime(options)
  const session = openConformanceSession(options)
  const verdicts = new Map<string, Verdict>()
  const findings: ConformanceFinding[] = []
  const selected = addPrerequisites(requirements, selectedIds)
  for (const requirement of requirements) {
    if (!selected.has(requirement.id)) continue
    const finding = await checkRequirement(requirement, session, verdicts)
    if (signal.aborted) throw signal.reason
    verdicts.set(requirement.id, finding.verdict)
    if (!selectedIds.has(requirement.id)) continue
    findings.push(finding)
    onFinding(finding)
  }
  return findings
}

/** Throws unless a JSON-RPC response arrives. */
async function requireRuntime(target: RuntimeTarget): Promise<void> {
  const call = { jsonrpc: '2.0', id: 'presence', method: 'load_skills_protocol_guide', params: {} }
  const { status, json, headers } = await createSender(target)(JSON.stringify(call), {})
  if (status === 401) {
    throw new SkillsError('auth/required', 'The runtime requires a token, or rejects this one', {
      hint: 'Set SKILLS_TOKEN, or pass a token file with --token-file',
    })
  }
  const location = headers.get('location')
  if (status > 300 && status < 309 && location !== null) {
    throw new SkillsError('remote/unexpected', `${target.url.href} redirects to ${location}`, {
      hint: 'Pass the new address with --url',
    })
  }
  if (json?.['result'] !== undefined || json?.['error'] !== undefined) return
  throw new SkillsError(
    'remote/unexpected',
    `No Skills Runtime at ${target.url.href}: expected a JSON-RPC response, got HTTP status ${status} with ${headers.get('content-type') ?? 'no content type'}`,
    { hint: 'Pass the URL of its endpoint, such as http://127.0.0.1:8080/rpc' },
  )
}

/** The selected requirements and their prerequisites. */
function addPrerequisites(
  requirements: readonly Requirement[],
  selectedIds: ReadonlySet<string>,
): Set<string> {
  const selected = new Set(selectedIds)
  for (const { id, needs = [] } of requirements.toReversed()) {
    if (selected.has(id)) for (const need of needs) selected.add(need)
  }
  return selected
}

async function checkRequirement(
  requirement: Requirement,
  session: ConformanceSession,
  verdicts: ReadonlyMap<string, Verdict>,
): Promise<ConformanceFinding> {
  const startedAt = performance.now()
  const end = (verdict: Verdict, reason?: string): ConformanceFinding => {
    return { requirement, verdict, reason, durationMs: Math.round(performance.now() - startedAt) }
  }
  const unmet = requirement.needs?.find((need) => verdicts.get(need) !== 'passed')
  if (unmet !== undefined) return end('untried', `Requires ${unmet}, which did not pass`)
  try {
    await requirement.check(session)
    return end('passed')
  } catch (error) {
    if (error instanceof RequirementUntested) return end('untried', error.message)
    if (error instanceof RequirementFailed || error instanceof SkillsError)
      return end('failed', error.message)
    // A response may have any shape, so reading it can throw.
    if (error instanceof TypeError)
      return end('failed', `The response has an unexpected shape: ${error.message}`)
    throw error
  }
}

/**
 * Resolves command-line arguments to ids of requirements. An argument names one requirement, an
 * area or a level.
 */
export function selectRequirements(
  requirements: readonly Requirement[],
  selectors: readonly string[],
): ReadonlySet<string> {
  if (selectors.length === 0) return new Set(requirements.map(({ id }) => id))
  return new Set(selectors.flatMap((selector) => matchRequirements(requirements, selector)))
}

function matchRequirements(requirements: readonly Requirement[], selector: string): string[] {
  const found = requirements.filter(
    ({ id, level }) => id === selector || id.startsWith(`${selector}/`) || level === selector,
  )
  if (found.length > 0) return found.map(({ id }) => id)
  const areas = requirements.map(({ id }) => id.split('/')[0] as string)
  const guess = findNearest(selector, [...new Set(areas), ...requirements.map(({ id }) => id)])
  throw new SkillsError('usage/invalid', `There is no requirement "${selector}"`, {
    hint:
      guess === undefined
        ? `Pass the id of a requirement or an area: ${[...new Set(areas)].join(', ')}`
        : `Did you mean "${guess}"?`,
  })
}
