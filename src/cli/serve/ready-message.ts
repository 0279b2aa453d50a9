import type { Context } from '../context.ts'

/** Facts that a server reports when it is ready. */
export interface ReadyFacts {
  url: string
  port: number
  /** Address of the console, or a link to it on a terminal; null if it is not served. */
  console: string | null
  skills: number
  /** The backend; `strict` if weaker isolation is rejected. */
  isolation: string
  /** Required authentication. */
  auth: 'none' | 'token'
  watch: boolean
  maxRuns: number
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
    `  ${dim('runs')}    ${facts.isolation}, ${facts.maxRuns} at a time`,
    `  ${dim('access')}  ${facts.auth === 'token' ? 'with a token' : 'without a token'}`,
    `  ${dim('edits')}   ${facts.watch ? 'reloaded immediately' : 'loaded at the start (--watch reloads them)'}`,
    dim('Press Ctrl-C to stop'),
  ]
  context.note(lines.join('\n'))
}
