import { text } from 'node:stream/consumers'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { callRuntimeTool } from './call-tool.ts'
import { readGrants } from './grant-options.ts'
import { readCommandParams } from './command-options.ts'

/** `skills agent run`: the tool skill_run. */
export async function runSkillCommand(context: Context, call: CommandLine): Promise<number> {
  const commandParams = readCommandParams(context, call)
  const params =
    call.options['stdin'] === true
      ? { ...commandParams, stdin: await text(context.stdin) }
      : commandParams
  const result = await callRuntimeTool(context, call, {
    name: 'skill_run',
    params,
    readIo: async (handle) => await readGrants(context, call, handle),
  })
  if (context.global.json) context.document('skills.agent-run/v1', { result })
  else {
    context.stdout.write(result.stdout)
    context.stderr.write(result.stderr)
    for (const file of result.output_files) {
      context.note(`${toPrintable(file.name)} (${file.mime_type}, ${file.size_bytes} bytes)`)
    }
    for (const { name, version } of result.artifact_files ?? []) {
      context.note(`Saved as artifact://${toPrintable(name)}@${version}`)
    }
    for (const warning of result.warnings ?? []) context.note(toPrintable(warning))
  }
  // A shell's exit code for a command that was ended from outside.
  return result.timed_out ? 124 : result.exit_code < 0 ? 1 : result.exit_code
}
