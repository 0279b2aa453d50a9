import type { RunResult } from '../../core/run/result.ts'
import { printableLines } from '../../util/printable.ts'
import { listOption, textOption, type Call, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillOrFolder } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Run a skill in a sandbox',
  details: [
    'Run a skill in a fresh sandbox: its own files read-only, a private /workspace, and nothing else of this machine.',
    'What the skill returns goes to standard output as JSON, what it prints to standard error.',
    'No run has network in this version, whatever the skill declares.',
    'Exits with 0, with 1 where the skill failed, with 3 where it could not be run.',
  ].join(' '),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or the folder of a skill' }],
  options: [
    {
      flags: '--args <json>',
      description: 'All arguments: an object, @file, or - for standard input',
    },
    { flags: '--arg <key=value>', description: 'One argument, read as [inputs] says', many: true },
    { flags: '--blob <key=file>', description: 'Store a file and pass its id', many: true },
    { flags: '--secret <name>', description: 'Give this variable as a secret', many: true },
    { flags: '--secrets-file <file>', description: 'Take secrets from NAME=value lines' },
    { flags: '--timeout <duration>', description: 'End the run after this time, such as 30s' },
    { flags: '--out <dir>', description: 'Save the blobs that the run made in here' },
  ],
  examples: [
    { command: 'skills exec demo.greet --arg name=World', explains: 'The newest version' },
    {
      command: `skills exec demo.greet@0.1.0 --args '{"name":"World"}' --timeout 30s`,
      explains: 'One version, all arguments at once, 30 seconds at most',
    },
    { command: 'skills exec ./skills/greet', explains: 'A skill that is being written' },
    {
      command: 'skills exec demo.greet --blob text=skills/greet/SKILL.md --out results --json',
      explains: 'A file as a blob, blobs saved, everything for a program',
    },
  ],
  async run(context, call) {
    const result = await execute(context, call)
    const out = textOption(call, 'out')
    const saved = out === undefined ? [] : await save(context, result, out)
    if (context.global.json) {
      context.document('skills.run/v1', { ...result, ...(out === undefined ? {} : { saved }) })
    } else {
      for (const file of saved) context.note(`Saved ${file}`)
      show(context, result)
    }
    return result.status === 'completed' ? 0 : 1
  },
}

async function execute(context: Context, call: Call): Promise<RunResult> {
  const { readTimeout, readArguments, readSecrets } = await import('../exec-request.ts')
  const timeout = readTimeout(textOption(call, 'timeout'))
  const secretsFile = textOption(call, 'secretsFile')
  const { entry } = await findSkillOrFolder(context, call.args[0] ?? '')
  const runtime = await openRuntime(context)
  const manifest = await runtime.repository.manifest(entry)
  const { args, inputBlobs } = await readArguments(context, {
    runtime,
    manifest,
    whole: textOption(call, 'args'),
    single: listOption(call, 'arg'),
    files: listOption(call, 'blob'),
  })
  const secrets = readSecrets(context, manifest, { names: listOption(call, 'secret'), secretsFile })
  const { executeEntry } = await import('../../core/methods/execute-skill/run.ts')
  return await executeEntry(
    runtime,
    { entry, args, input_blobs: inputBlobs, timeout_ms: timeout },
    {
      cwd: context.cwd,
      env: context.env,
      signal: context.signal,
      secrets,
      onEvent: (event) => {
        if (context.global.quiet || event.type !== 'log') return
        const { text } = event
        context.stderr.write(context.stderr.isTTY === true ? printableLines(text) : text)
      },
    },
  )
}

function show(context: Context, result: RunResult): void {
  if (result.status === 'completed') {
    context.print(JSON.stringify(result.output, null, 2))
    return
  }
  const { error } = result
  const { errorStyle } = context
  if (error?.traceback) context.note(printableLines(error.traceback.trimEnd()))
  context.stderr.write(`${errorStyle.red('failed:')} ${printableLines(result.summary)}\n`)
  if (error?.hint)
    context.stderr.write(`${errorStyle.dim('hint:')} ${printableLines(error.hint)}\n`)
}

async function save(context: Context, result: RunResult, dir: string): Promise<string[]> {
  const { saveBlobs } = await import('../../core/run/save-blobs.ts')
  const runtime = await openRuntime(context)
  return await saveBlobs(await runtime.blobs(), result.output_blobs, { cwd: context.cwd, dir })
}
