import { SkillsError } from '../../../errors.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../../languages/language.ts'
import type { PolicyRequest } from '../../policy/policy-request.ts'
import { resolvePrincipal } from '../../runs/describe-request.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { splitReference } from '../../skills/reference.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { ExecuteParams } from '../runtime-execute/definition.ts'
import type { CheckPolicyParams } from './definition.ts'

/** Resolves a request in the order of a run: repository and folder, then program, then skills. */
export async function resolvePolicyRequest(
  services: Services,
  params: CheckPolicyParams,
  call: RunCall,
): Promise<PolicyRequest> {
  const { language, repository, skills = [], environment = [] } = params
  const kind = params.kind ?? (skills.length > 0 ? 'execute_skill' : 'execute')
  const { findExecutionLocation } = await import('../../programs/find-execution-location.ts')
  const location = { repoId: repository, relativeCwd: params.cwd } as ExecuteParams
  const { cwd } = await findExecutionLocation(services, location)
  requireKnownLanguage(language)
  const { door, caller: name } = params
  const found = await Promise.all(skills.map(async (each) => await findSkill(services, each)))
  return {
    kind,
    ...resolvePrincipal({ ...call.caller, ...(name !== undefined && { name }) }),
    ...(door !== undefined && { door }),
    skills: found.map(({ reference }) => reference),
    language: language ?? (kind === 'execute_skill' || kind === 'run_code' ? 'python' : undefined),
    executable: kind === 'execute' ? await resolveExecutable(services, params, call) : undefined,
    repository,
    cwd,
    timeoutMs: params.timeout_ms,
    network: params.network ?? (await listGrantedHosts(services, kind, found, call)),
    environment,
  }
}

async function resolveExecutable(
  services: Services,
  { language, executable }: CheckPolicyParams,
  { cwd, env }: RunCall,
): Promise<PolicyRequest['executable']> {
  if (language === undefined) return undefined
  const { findLanguage } = await import('../../programs/find-language.ts')
  const { describeExecutable } = await import('../../programs/describe-executable.ts')
  const params: ExecuteParams = { runtime: language as LanguageName, executable }
  const found = await findLanguage(services, params, { cwd, env })
  return await describeExecutable(services, { params, found, call: { env } })
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

interface RequestedSkill {
  /** Name and version, as rules match it; an unknown skill is matched by name alone. */
  reference: string
  entry: SkillEntry | undefined
}

async function findSkill(
  { repository }: Pick<Services, 'repository'>,
  reference: string,
): Promise<RequestedSkill> {
  try {
    const entry = await repository.resolve(...splitReference(reference))
    return { reference: `${entry.name}@${entry.version}`, entry }
  } catch {
    return { reference, entry: undefined }
  }
}

/** Destinations that a run of skills gets: those of their manifests, if the operator allows the network. */
// eslint-disable-next-line max-params -- the run and its skills
async function listGrantedHosts(
  { repository }: Pick<Services, 'repository'>,
  kind: PolicyRequest['kind'],
  skills: readonly RequestedSkill[],
  { grants }: RunCall,
): Promise<string[]> {
  if (kind !== 'execute_skill' || grants?.allowNetwork !== true) return []
  const manifests = await Promise.all(
    skills.flatMap(({ entry }) => (entry ? [repository.manifest(entry)] : [])),
  )
  return [...new Set(manifests.flatMap(({ permissions }) => permissions.network))]
}
