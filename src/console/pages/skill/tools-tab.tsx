import { changeSearch } from '../../app/location.ts'
import { useMethod } from '../../app/use-method.ts'
import { CodeView } from '../../components/code-view.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Loading } from '../../components/loading.tsx'
import { formatJson } from '../../models/input-form.ts'
import { nameSkill, type SkillTabProps } from './skill-tab.ts'

const VENDORS = {
  openai: 'OpenAI, Responses',
  'openai-chat': 'OpenAI, Chat Completions',
  anthropic: 'Anthropic, Messages',
  gemini: 'Gemini',
  mcp: 'MCP',
  'ai-sdk': 'AI SDK',
} as const

type Vendor = keyof typeof VENDORS

/** The text and the tools that a model of each vendor is sent. */
export function ToolsTab({ skill, search }: SkillTabProps) {
  const written = search.get('vendor') ?? 'openai'
  const format = (Object.hasOwn(VENDORS, written) ? written : 'openai') as Vendor
  const state = useMethod('describe_skill_tools', { ...nameSkill(skill), format })
  return (
    <>
      <label for="vendor">Vendor</label>{' '}
      <select
        id="vendor"
        value={format}
        onChange={(event) => changeSearch({ vendor: event.currentTarget.value })}
      >
        {Object.entries(VENDORS).map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <Loading state={state} label="tools">
        {({ overview, body, tools }) => (
          <>
            <h2>In the system message of every request</h2>
            <CodeView text={overview} label="Overview" numbered={false} />
            <h2>After the skill is loaded</h2>
            <CodeView text={body} language="markdown" label="Body" numbered={false} />
            <h2>
              Tools <CopyButton text={() => formatJson(tools)} />
            </h2>
            <CodeView text={formatJson(tools)} language="json" label="Tool definitions" />
          </>
        )}
      </Loading>
    </>
  )
}
