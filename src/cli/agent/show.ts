import { sessionKey } from '../../core/loads/session-key.ts'
import { loadsOf } from '../../core/loads/session-state.ts'
import { notRemote, remotePlace } from '../access/remote-options.ts'
import { flagOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { table } from '../ui/table.ts'
import { printable, printableLines } from '../../util/printable.ts'
import { sessionOf } from './session-options.ts'

/** `skills agent show`: what a session has loaded, and what a model sees of it. */
export async function show(context: Context, call: Call): Promise<number> {
  const place = remotePlace(context, call)
  if (place) throw notRemote('What a session has loaded is only shown where it is kept', place)
  const at = sessionOf(call)
  const runtime = await openRuntime(context)
  const state = await (await runtime.sessions()).read(sessionKey(at.session, undefined))
  const skills = loadsOf(state, at.agent).skills.filter((each) => each.loaded)
  const content = flagOption(call, 'content') ? await contentOf(runtime, state, at) : undefined
  if (context.global.json) {
    const loaded = skills.map(({ name, docs }) => ({ skill: name, docs }))
    context.document('skills.agent-show/v1', {
      ...at,
      loaded,
      ...(content !== undefined && { content }),
    })
    return 0
  }
  if (content !== undefined && content !== '') context.print(printableLines(content))
  if (content === undefined && skills.length > 0) {
    const rows = skills.map(({ name, docs }) => [
      printable(name),
      docs === '*' ? 'all documents' : docs.map(printable).join(', ') || '-',
    ])
    context.print(table(rows, { columns: context.stdout.isTTY ? context.columns : Infinity }))
  }
  if (skills.length === 0) context.note('Nothing is loaded; type "skills agent load <skill>"')
  return 0
}

async function contentOf(
  runtime: Awaited<ReturnType<typeof openRuntime>>,
  state: object,
  { agent }: { agent: string },
): Promise<string> {
  const { createAgentSession, localHost } = await import('../../agent/index.ts')
  const session = createAgentSession({
    host: localHost(runtime),
    agent,
    state,
    loadMode: 'session',
    overview: false,
    guidance: false,
  })
  return (await session.compose({ length: 0, results: new Set() })).system
}
