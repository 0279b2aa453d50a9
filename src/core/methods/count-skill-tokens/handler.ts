import { SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { CountSkillTokensParams, CountSkillTokensResult } from './definition.ts'

const TIMEOUT_MS = 20_000

/** `count_skill_tokens`: counts the layers of one skill. */
export async function countSkillTokens(
  { repository, cacheDir, offloader }: Pick<Services, 'repository' | 'cacheDir' | 'offloader'>,
  { name, version, encoding = 'o200k' }: CountSkillTokensParams,
  { signal, caller }: Pick<RunCall, 'signal' | 'caller'>,
): Promise<CountSkillTokensResult> {
  const { dir } = await repository.resolve(name, version)
  const input = { dir, cacheDir, encoding }
  const report = await (
    await offloader()
  ).perform('tokens', input, { timeoutMs: TIMEOUT_MS, signal, principal: caller?.principal })
  const [counted] = report.skills
  if (!counted) {
    throw new SkillsError('skill/not-found', `The files of "${name}" cannot be read any more`, {
      hint: 'List the skills again',
    })
  }
  const { version: newest, overview, body, docs, total, documents } = counted
  const skipped = report.skipped.map(({ path, reason }) => ({ path, reason }))
  return {
    version: newest,
    encoding: `${encoding}_base`,
    overview,
    body,
    docs,
    total,
    documents,
    skipped,
  }
}
