import { findHosts, type HostKind } from '../hosts.ts'
import { describes } from '../prose/read-prose.ts'
import { SUBJECTS } from '../prose/subjects.ts'
import type { SafetySource } from '../safety-finding.ts'
import { needsOtherHosts, readDocuments } from './documents.ts'
import type { Flow } from './flow.ts'

interface FlowContext {
  skill: SafetySource
  code: string
  isFile: boolean
}

/** Signs that a program takes one value out of a file of settings. */
const PICKS_VALUE =
  /split\(\s*["']=|\bgrep\b|json\.loads?\(|JSON\.parse|dotenv|\.get\(["']|\bcut -d|configparser|\bjq\b|os\.environ\[|\bsource\s|startsWith\(|startswith\(|\.match\(|re\.(?:search|match)/

/** A client of a service sends the value that it takes out of its settings. */
function isExpectedHost({ skill }: FlowContext, { host, statement }: Flow): boolean {
  if (host === 'odd') return false
  if (host === 'named' || needsOtherHosts(skill)) return true
  const documents = readDocuments(skill)
  return findHosts(statement.text).every((each) => documents.includes(each))
}

/** True for a place that no ordinary client reads. */
export function isStrong(place: string): boolean {
  return place !== 'dotenv' && place !== 'agents' && place !== 'repository'
}

/** Severity of data that leaves a place of secrets. */
export function rateFlow(context: FlowContext, flow: Flow): 'error' | 'warning' | undefined {
  const { place, host, isSeen } = flow
  const mayPick = !isStrong(place) && place !== 'repository' && PICKS_VALUE.test(context.code)
  if (mayPick && isExpectedHost(context, flow)) return undefined
  const subject = place === 'agents' ? SUBJECTS.agents : SUBJECTS.keys
  const isDescribed = describes(context.skill, subject)
  if (isSeen) return rateSeenFlow(context, flow, isDescribed)
  const isRead = /^(?:vaults|credentials|history|home)$/.test(place)
  return isRead && isForeignHost(host) && !isDescribed ? 'warning' : undefined
}

// eslint-disable-next-line max-params -- the place, the flow and whether it is described
function rateSeenFlow(
  { isFile }: FlowContext,
  { place, host }: Flow,
  isDescribed: boolean,
): 'error' | 'warning' | undefined {
  if (host === undefined) return isFile && isStrong(place) && !isDescribed ? 'warning' : undefined
  if (!isForeignHost(host)) return undefined
  if (place === 'repository') return isDescribed ? undefined : 'warning'
  const mayBeMeant = isDescribed && host !== 'odd'
  return mayBeMeant && (place === 'credentials' || !isStrong(place)) ? 'warning' : 'error'
}

export function isForeignHost(host: HostKind | undefined): boolean {
  return host === 'odd' || host === 'unknown' || host === 'named'
}
