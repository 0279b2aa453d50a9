import { generateText, isStepCount, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { aiSdkSandbox } from '../../../../examples/frameworks/ai-sdk.ts'
import { Workspace } from '../../../../examples/frameworks/workspace.ts'

const commands = [
  'echo out; echo err >&2; exit 3',
  `cat ${process.argv[2]}`,
  'cat notes/a.txt && pwd',
]
let step = 0
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const command = commands[step++]
    return {
      warnings: [],
      usage,
      ...(command === undefined
        ? {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: undefined },
          }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: `call_${step}`,
                toolName: 'bash',
                input: JSON.stringify({ command }),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: undefined },
          }),
    }
  },
})
const bash = tool({
  description: 'Runs a command in the sandbox.',
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }, { experimental_sandbox: sandbox }) =>
    await sandbox?.run({ command }),
})
const workspace = await Workspace.open('ai-sdk')
const sandbox = aiSdkSandbox(workspace)
await sandbox.writeTextFile({ path: 'notes/a.txt', content: 'one\ntwo\nthree\n' })
const { text, steps } = await generateText({
  model,
  prompt: 'Go.',
  tools: { bash },
  experimental_sandbox: sandbox,
  stopWhen: isStepCount(9),
})
const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))

const path = '/workspace/notes/a.txt'
const lines = await sandbox.readTextFile({ path, startLine: 2, endLine: 2 })
const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
await sandbox.writeFile({ path: 'bin', content: new Blob([bytes]).stream() })
const read = await sandbox.readFile({ path: 'bin' })
const same = read && Buffer.from(await new Response(read).arrayBuffer()).equals(bytes)
const missing = [
  await sandbox.readFile({ path: 'none' }),
  await sandbox.stat({ path: 'none' }),
  await sandbox.listDirectory({ path: 'none' }),
  await sandbox.deleteFile({ path: 'none' }),
]
const stats = [await sandbox.stat({ path }), (await sandbox.stat({ path: 'notes' }))?.type]
const listed = await sandbox.listDirectory({ path: 'notes' })
await workspace.exec('mkdir empty')
const empty = await sandbox.listDirectory({ path: 'empty' })
const deleted = [await sandbox.deleteFile({ path }), await sandbox.stat({ path })]
const refused = await Promise.allSettled([
  sandbox.deleteFile({ path: 'notes' }),
  sandbox.listDirectory({ path: 'bin' }),
  sandbox.spawn({ command: 'cat', stdin: true }),
])
const spawned = await sandbox.spawn({ command: 'echo begun; sleep 1; echo ended; exit 4' })
const printed = await new Response(spawned.stdout).text()
const { exitCode } = await spawned.wait()
const endless = await sandbox.spawn({ command: 'echo up; exec sleep 600' })
await endless.kill()
await endless.wait()
const controller = new AbortController()
const aborted = await sandbox.spawn({ command: 'sleep 600', abortSignal: controller.signal })
controller.abort(new Error('enough'))
const reason = await aborted.wait().then(String, ({ message }: Error) => message)
await workspace.end()
const rejected = refused.map(({ status }) => status)
const files = { lines, same, missing, stats, listed, empty, deleted, rejected }
console.log(JSON.stringify({ outputs, final: text, ...files, printed, exitCode, reason }))
process.exit(0)
