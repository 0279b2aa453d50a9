import { memoize } from '../../../util/memoize.ts'
import { classifyHost, findHosts } from '../hosts.ts'
import type { SafetySource } from '../safety-finding.ts'

/** All documents of a skill as one text. */
export const readDocuments = memoize((skill: SafetySource): string =>
  skill.files
    .filter(({ path, type }) => type === 'file' && /\.(?:md|toml)$|README/i.test(path))
    .slice(0, 50)
    .map(({ path }) => skill.read(path) ?? '')
    .join('\n')
    .toLowerCase(),
)

/** Tasks that need another host: a tool for texts or code does not. */
const NETWORK_TASKS =
  /\b(?:api|apis|web ?(?:sites?|search|pages?|hooks?)|online|fetch\w*|download\w*|upload\w*|sync\w*|cloud|servers?|services?|bots?|wallets?|chain|\w*chain|trad\w+|platform|remote|network|tweets?|e-?mails?|messag\w+|crypto|nfts?|payments?|dashboard|monitor\w*|deploy\w*|publish\w*|social|posts?|llms?|ai|search\w*|weather|news|translat\w*|telemetry|analytics)\b|接口|平台|服务|搜索|网络|钱包|交易|生成|发布/i

export function needsOtherHosts({ manifest }: SafetySource): boolean {
  return NETWORK_TASKS.test(manifest.description)
}

const MIN_MENTIONS = 4

/** True if the documents are about the publisher: they name its domain again and again. */
export function isPublisher(skill: SafetySource, text: string): boolean {
  return findHosts(text).every((host) => {
    const domain = host.split('.').slice(-2).join('.')
    return readDocuments(skill).split(domain).length > MIN_MENTIONS
  })
}

/** True for the host of an API that the documents explain, or that the skill is named after. */
export function isServiceOfSkill(skill: SafetySource, text: string): boolean {
  return findHosts(text).every((host) => {
    const kind = classifyHost(skill, host)
    if (kind === 'odd') return false
    return kind !== 'unknown' || readDocuments(skill).split(`//${host}`).length > 3
  })
}
