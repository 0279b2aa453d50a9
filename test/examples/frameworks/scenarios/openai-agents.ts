import { run, setTracingDisabled } from '@openai/agents'
import { dir, file, filesystem, Manifest, SandboxAgent, shell } from '@openai/agents/sandbox'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { SkillsSandboxClient } from '../../../../examples/frameworks/openai-agents.ts'
import { Workspace } from '../../../../examples/frameworks/workspace.ts'

setTracingDisabled(true)
const calls: [name: string, args: Record<string, unknown>][] = [
  ['exec_command', { cmd: 'cat src/a.txt && echo "$COLOUR" && exit 3' }],
  ['exec_command', { cmd: `cat ${process.argv[2]}` }],
  ['exec_command', { cmd: 'cat b.txt', workdir: '/workspace/src' }],
  ['exec_command', { cmd: 'read line; echo "got $line"', tty: true, yield_time_ms: 500 }],
  ['write_stdin', { session_id: 4, chars: 'typed\n', yield_time_ms: 3000 }],
  ['write_stdin', { session_id: 9 }],
  ['view_image', { path: 'src/dot.png' }],
]
const patches = [
  { type: 'create_file', path: 'src/b.txt', diff: '+one\n+two' },
  { type: 'update_file', path: 'src/b.txt', diff: '@@\n one\n-two\n+three' },
  { type: 'create_file', path: 'src/c.txt', diff: '+gone' },
  { type: 'delete_file', path: 'src/c.txt' },
] as const
const model = new ScriptedModel([
  ...patches.map((operation, at) => [
    {
      type: 'apply_patch_call' as const,
      callId: `patch_${at}`,
      status: 'completed' as const,
      operation,
    },
  ]),
  ...calls.map(([name, args], at) => [functionCall(name, args, { callId: `call_${at}` })]),
  [assistantMessage('done')],
])
const manifest = new Manifest({
  entries: {
    src: dir({
      children: {
        'a.txt': file({ content: 'from the manifest\n' }),
        'dot.png': file({ content: Uint8Array.of(137, 80, 78, 71) }),
      },
    }),
  },
  environment: { COLOUR: 'green' },
})
const agent = new SandboxAgent({
  name: 'Tester',
  model,
  defaultManifest: manifest,
  capabilities: [shell(), filesystem()],
})
let opened: Workspace | undefined
const client = new SkillsSandboxClient(async () => (opened = await Workspace.open('openai')))
const result = await run(agent, 'Go.', { sandbox: { client }, maxTurns: 20 })
model.assertComplete()
const outputs = result.newItems.flatMap((item) =>
  item.type === 'tool_call_output_item' ? [item.output] : [],
)
const session = await client.create(manifest)
const listed = await session.listDir({ path: 'src' })
const found = [await session.pathExists('src/a.txt'), await session.pathExists('src/zz')]
await session.close()
const kept = (await opened?.readFile('src/b.txt'))?.toString()
console.log(JSON.stringify({ outputs, final: result.finalOutput, listed, found, kept }))

process.exit(0)
