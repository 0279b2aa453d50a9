import { toSkillsError } from '../../errors.ts'
import { newRunId } from '../runs/history/run-id.ts'
import { govern } from '../runs/govern.ts'
import { digestsOfProgram, programResult } from '../runs/govern-program.ts'
import { nothingStarted } from '../runs/govern-run.ts'
import { decisionOf, type GovernedCall, type Permit } from '../runs/permit.ts'
import { recordDenied } from '../runs/record-denied.ts'
import { handedNames, whoAsks } from '../runs/describe-decision.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import { answer, cancelledAnswer, deniedAnswer, type Performed } from './answer.ts'
import { checkRequest } from './check-request.ts'
import type { ExecuteParams } from './execute-params.ts'
import type { ExecuteResult } from './execute-result.ts'
import { checkInstalled, executableFacts, findLanguage } from './find-language.ts'
import { findPlace } from './find-place.ts'
import { perform } from './perform.ts'
import { Phases } from './phases.ts'
import { prepare } from './prepare.ts'

/**
 * Runs code or a program in one of the languages, governed: what policy refuses, what fails and what
 * runs out of time are answers; what could not be run at all is thrown.
 */
export async function execute(
  services: Services,
  params: ExecuteParams,
  call: RunCall,
): Promise<ExecuteResult> {
  checkRequest(params)
  const phases = new Phases()
  const place = await phases.time('loadRepo', async () => await findPlace(services, params))
  const found = await phases.time(
    'resolveRuntime',
    async () => await findLanguage(services, params, call),
  )
  const runId = call.runId ?? newRunId()
  const asked: GovernedCall = {
    runId,
    given: givenBy(params),
    request: {
      kind: 'execute',
      ...whoAsks(call),
      skills: [],
      language: params.runtime,
      executable: executableFacts(params, found),
      repository: params.repoId,
      cwd: place.cwd,
      timeoutMs: params.timeoutMs,
      network: [],
      environment: handedNames(services.config.run.environment, call),
    },
  }
  let permit: Permit
  try {
    permit = await phases.time('policy', async () => await govern(services, call, asked))
  } catch (error) {
    if (decisionOf(error)) await recordDenied(services, call, { asked, error })
    return refusal(params, error)
  }
  let performed: Performed | undefined
  let thrown: unknown
  try {
    checkInstalled(params, found)
    const execution = prepare(services, { params, place, resolved: found })
    performed = await perform(services, {
      execution,
      permit,
      phases,
      call: { ...call, runId, permit },
    })
  } catch (error) {
    thrown = error
  }
  const outcome = performed?.outcome
  const ended = outcome
    ? programResult(outcome)
    : { ...nothingStarted, error: toSkillsError(thrown).code }
  await permit.end(ended, digestsOfProgram(outcome))
  if (performed) return answer(performed)
  throw thrown
}

/** What policy says is an answer; so is being called off in time. */
function refusal(params: ExecuteParams, error: unknown): ExecuteResult {
  const { code } = toSkillsError(error)
  if (code === 'run/cancelled') return cancelledAnswer()
  const decision = decisionOf(error)
  if (code !== 'policy/denied' || !decision) throw error
  const { reasons, audit_hash: auditHash } = decision
  return deniedAnswer(params, { reasons, code: decision.code ?? code, auditHash })
}

function givenBy({ code, args, stdin }: ExecuteParams): Record<string, string> {
  return {
    ...(code !== undefined && { code }),
    ...(args && { args: JSON.stringify(args) }),
    ...(stdin !== undefined && { stdin }),
  }
}
