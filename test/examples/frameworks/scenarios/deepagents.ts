import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { createDeepAgent } from 'deepagents'
import { SkillsBackend } from '../../../../examples/frameworks/deepagents.ts'
import { Workspace } from '../../../../examples/frameworks/workspace.ts'

const steps: [name: string, args: Record<string, unknown>][] = [
  ['execute', { command: 'echo out; echo err >&2; exit 3' }],
  ['execute', { command: `cat ${process.argv[2]}` }],
  ['write_file', { file_path: '/workspace/src/a.py', content: 'x = 1\nprint(x)\n' }],
  ['edit_file', { file_path: '/workspace/src/a.py', old_string: 'x = 1', new_string: 'x = 42' }],
  ['execute', { command: 'python3 src/a.py' }],
  ['read_file', { file_path: '/workspace/src/a.py' }],
  ['ls', { path: '/workspace/src' }],
  ['grep', { pattern: '42', path: '/workspace/src', output_mode: 'content' }],
]
const model = fakeModel()
for (const [name, args] of steps) model.respondWithTools([{ name, args }])
model.respond(new AIMessage('done'))
const workspace = await Workspace.open('deep')
const backend = new SkillsBackend(workspace)
const agent = createDeepAgent({ model, backend })
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'Go.' }] },
  { recursionLimit: 200 },
)
const outputs = messages.flatMap((message) =>
  ToolMessage.isInstance(message) ? [message.text] : [],
)
const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
const uploaded = await backend.uploadFiles([
  ['/workspace/bin', bytes],
  ['/etc/x', bytes],
])
const downloaded = await backend.downloadFiles(['/workspace/bin', '/workspace/none', '/etc/passwd'])
const files = downloaded.map(
  ({ content, error }) => error ?? [...(content ?? [])].join() === bytes.join(),
)
await workspace.end()
console.log(JSON.stringify({ outputs, final: messages.at(-1)?.text, uploaded, files }))
process.exit(0)
