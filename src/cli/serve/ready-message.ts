import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'

/** Facts that a server reports when it is ready. */
export interface ReadyFacts {
  url: string
  port: number
  /** Address of the console, or a link to it on a terminal; null if it is not served. */
  console: string | null
  skills: number
  /** The backend; `strict` if weaker isolation is rejected. Null in a fleet without a worker. */
  isolation: string | null
  /** Required authentication. */
  auth: 'none' | 'token'
  watch: boolean
  /** Runs at a time: of this machine, or of all workers. */
  maxRuns: number
  /** Workers that accept calls; null if this machine performs the runs. */
  workers: number | null
}

/** One line of JSON for programs, a few lines for people. */
export function announceReady(context: Context, facts: ReadyFacts): void {
  if (context.global.json) {
    const rpc = `${facts.url}/rpc`
    const mcp = `${facts.url}/mcp`
    context.stdout.write(`${JSON.stringify({ schema: 'skills.serve/v1', rpc, mcp, ...facts })}\n`)
    return
  }
  const { dim, bold } = context.errorStyle
  const count = `${facts.skills} ${facts.skills === 1 ? 'skill' : 'skills'}`
  const lines = [
    `Serving ${count} on ${bold(`${facts.url}/rpc`)}`,
    `  ${dim('mcp')}     ${facts.url}/mcp`,
    ...(facts.console === null ? [] : [`  ${dim('console')} ${facts.console}`]),
    `  ${dim('runs')}    ${describeRuns(facts)}`,
    `  ${dim('access')}  ${facts.auth === 'token' ? 'with a token' : 'without a token'}`,
    `  ${dim('edits')}   ${facts.watch ? 'reloaded immediately' : 'loaded at the start (--watch reloads them)'}`,
    dim('Press Ctrl-C to stop'),
  ]
  context.note(lines.join('\n'))
}

function describeRuns({ isolation, maxRuns, workers }: ReadyFacts): string {
  if (workers === 0) return 'no worker yet: start one with "skills worker --fleet <url>"'
  const machines = workers === null ? '' : ` on ${formatPlural(workers, 'worker')}`
  return `${isolation ?? 'unknown isolation'}, ${maxRuns} at a time${machines}`
}
