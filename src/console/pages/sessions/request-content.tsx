import type { DescribeSessionResult } from '../../../core/methods/describe-session/definition.ts'
import { BarTable } from '../../components/bar-table.tsx'
import { CodeView } from '../../components/code-view.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatJson } from '../../models/input-form.ts'
import { formatCount } from '../../models/quantities.ts'
import { VENDORS } from '../../models/vendors.ts'

const TITLES = {
  overview: 'System message: list of skills',
  guidance: 'System message: rules of the tools',
  loaded: 'System message: loaded content',
} as const

/** The parts of a request with their tokens, and their texts as they are sent. */
export function RequestContent({ session }: { session: DescribeSessionResult }) {
  const { system, results, tools, tools_tokens: toolsTokens, ...request } = session.request
  const title = `Tools for ${VENDORS[request.format]}`
  const parts = [
    ...system.map((each) => ({ ...each, name: TITLES[each.part] })),
    ...results.map((each) => ({ ...each, name: `Result of the tool call ${each.call}` })),
  ]
  return (
    <>
      <BarTable
        label="Tokens by part"
        unit="tokens"
        rows={[
          ...parts.map(({ name, tokens }) => ({ name, value: tokens })),
          { name: title, value: toolsTokens },
        ]}
      />
      <p>
        {formatCount(request.tokens)} tokens besides the messages of the conversation.{' '}
        <span class="muted">
          Counted with {request.encoding}, an approximation for models of other vendors.
        </span>
      </p>
      {parts.map(({ name, text, cut_chars: cut, tokens }) => (
        <details key={name} open={text.length < 4000}>
          <summary>
            {name} <span class="muted">{formatCount(tokens)} tokens</span>
          </summary>
          <CodeView text={text} language="markdown" label={name} numbered={false} wraps />
          {cut > 0 && <p class="muted">{formatCount(cut)} more characters are not shown.</p>}
        </details>
      ))}
      <details>
        <summary>
          {title} <span class="muted">{formatCount(toolsTokens)} tokens</span>
        </summary>
        <CopyButton text={() => formatJson(tools)} />
        <CodeView text={formatJson(tools)} language="json" label={title} />
      </details>
    </>
  )
}
