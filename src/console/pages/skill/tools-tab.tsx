import { useMethod } from '../../app/use-method.ts'
import { CodeView } from '../../components/code-view.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Loading } from '../../components/loading.tsx'
import { VendorChoice } from '../../components/vendor-choice.tsx'
import { formatJson } from '../../models/input-form.ts'
import { readVendor } from '../../models/vendors.ts'
import { nameSkill, type SkillTabProps } from './skill-tab.ts'

/** The text and the tools that a model of each vendor is sent. */
export function ToolsTab({ skill, search }: SkillTabProps) {
  const format = readVendor(search)
  const state = useMethod('describe_skill_tools', { ...nameSkill(skill), format })
  return (
    <>
      <VendorChoice vendor={format} />
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
