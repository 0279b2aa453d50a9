import { Agent } from '@mastra/core/agent'
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock'
import { Workspace as MastraWorkspace } from '@mastra/core/workspace'
import { SkillsSandbox } from '../../../../examples/frameworks/mastra.ts'
import { Workspace } from '../../../../examples/frameworks/workspace.ts'

const commands = [
  'echo out; echo err >&2; exit 3',
  `cat ${process.argv[2]}`,
  'cat notes/a.txt && pwd',
]
let step = 0
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const answer = () => {
  const command = commands[step++]
  return command === undefined
    ? { content: [{ type: 'text' as const, text: 'done' }], finishReason: 'stop' as const }
    : {
        content: [
          {
            type: 'tool-call' as const,
            toolCallId: `call_${step}`,
            toolName: 'mastra_workspace_execute_command',
            input: JSON.stringify({ command }),
          },
        ],
        finishReason: 'tool-calls' as const,
      }
}
const model = new MastraLanguageModelV2Mock({
  doGenerate: async () => ({ ...answer(), usage, warnings: [] }),
})
const workspace = await Workspace.open('mastra')
const sandbox = new SkillsSandbox(workspace)
await sandbox.writeFiles([{ path: 'notes/a.txt', content: 'a note\n', mode: 0o600 }])
const agent = new Agent({
  id: 'tester',
  name: 'Tester',
  instructions: 'Go.',
  model,
  workspace: new MastraWorkspace({ sandbox }),
})
const { text, toolResults } = await agent.generate('Go.', { maxSteps: 9 })
const direct = await sandbox.executeCommand('printf', ['%s', "it's"], { cwd: '/workspace/notes' })
const late = await sandbox.executeCommand('sleep 5', [], { timeout: 200 })
await sandbox._destroy()
const outputs = toolResults.map(({ payload }) => payload.result)
console.log(JSON.stringify({ outputs, final: text, direct, late, status: sandbox.status }))
process.exit(0)
