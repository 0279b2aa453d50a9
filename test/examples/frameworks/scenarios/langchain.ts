import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { createAgent } from 'langchain'
import { createRuntime, loadConfig } from 'skills-protocol'
import { createAgentSession, localHost } from 'skills-protocol/agent'
import { skillTools } from '../../../../examples/frameworks/langchain.ts'

const call = { cwd: process.cwd(), env: process.env }
const { config } = await loadConfig(call)
const host = localHost(createRuntime({ config }), { call })
const session = createAgentSession({ host, tools: 'agent' })
const steps: [name: string, args: Record<string, unknown>][] = [
  ['workspace_exec', { command: 'echo out; exit 3', outputs: ['*.none'] }],
  ['workspace_exec', { command: `cat ${process.argv[2]}` }],
  ['workspace_exec', { command: 'seq 1 20000' }],
  ['runtime_queryOutput', { artifactHandle: 'HANDLE', tail: 1 }],
]
const model = fakeModel()
for (const [name, args] of steps)
  model.respond((messages) => {
    const handle = /run_[0-9a-f]+/.exec(messages.at(-1)?.text ?? '')?.[0] ?? ''
    const text = JSON.stringify(args).replace('HANDLE', handle)
    return new AIMessage({ content: '', tool_calls: [{ id: name, name, args: JSON.parse(text) }] })
  })
model.respond(new AIMessage('done'))
const tools = await skillTools(session)
const { messages } = await createAgent({ model, tools }).invoke({
  messages: [{ role: 'user', content: 'Go.' }],
})
const outputs = messages.flatMap((message) =>
  ToolMessage.isInstance(message) ? [message.text] : [],
)
await session.end()
const names = tools.map(({ name }) => name)
console.log(JSON.stringify({ outputs, final: messages.at(-1)?.text, names }))
process.exit(0)
