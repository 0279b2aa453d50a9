import type {
  DescribeSessionParams,
  DescribeSessionResult,
} from '../../core/methods/describe-session/definition.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { callRuntimeTool } from './call-tool.ts'
import { readSession } from './session-options.ts'

/** `skills agent request`: the content of the next request of a session. */
export async function runRequestCommand(context: Context, call: CommandLine): Promise<number> {
  const described = await callRuntimeTool(context, call, {
    name: 'describe_session',
    params: {
      ...readReference(call),
      profile: getTextOption(call, 'profile') as DescribeSessionParams['profile'],
      format: getTextOption(call, 'format') as DescribeSessionParams['format'],
    },
  })
  if (context.global.json) context.document('skills.agent-request/v1', described)
  else showRequest(context, described)
  return 0
}

function readReference(call: CommandLine): DescribeSessionParams {
  const [id] = call.args
  const agentOption = getTextOption(call, 'agent')
  const agent = agentOption === undefined ? {} : { agent: readSession(call).agent }
  if (id === undefined) return { session: readSession(call).session, ...agent }
  if (getTextOption(call, 'session') === undefined) return { id, ...agent }
  throw new SkillsError('usage/invalid', '--session cannot be combined with an id', {
    hint: 'Remove one of them',
  })
}

function showRequest(context: Context, { request }: DescribeSessionResult): void {
  const { style } = context
  const show = (title: string, { text, cut_chars: cut, tokens }: ShownPart) => {
    context.print(style.bold(`${title} (${tokens} tokens)`))
    const missing = cut === 0 ? '' : `\n[… ${cut} more characters]`
    context.print(`${toPrintableLines(text)}${missing}\n`)
  }
  for (const part of request.system) show(`System message: ${part.part}`, part)
  for (const part of request.results) show(`Result of the tool call ${part.call}`, part)
  const tools = JSON.stringify(request.tools, null, 2)
  show(`Tools for ${request.format}`, { text: tools, cut_chars: 0, tokens: request.tools_tokens })
  context.note(
    `${request.tokens} tokens (${request.encoding}), without the messages of the conversation`,
  )
}

type ShownPart = Pick<DescribeSessionResult['request']['results'][number], 'text' | 'tokens'> & {
  cut_chars: number
}
