import { text } from 'node:stream/consumers'
import { printable } from '../../util/printable.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { callTool } from './call-tool.ts'
import { commandParams } from './command-options.ts'

/** `skills agent run`: what the tool skill_run does. */
export async function run(context: Context, call: Call): Promise<number> {
  const given = commandParams(context, call)
  const params =
    call.options['stdin'] === true ? { ...given, stdin: await text(context.stdin) } : given
  const result = await callTool(context, call, {
    name: 'skill_run',
    params,
  })
  if (context.global.json) context.document('skills.agent-run/v1', { result })
  else {
    context.stdout.write(result.stdout)
    context.stderr.write(result.stderr)
    for (const file of result.output_files) {
      context.note(`${printable(file.name)} (${file.mime_type}, ${file.size_bytes} bytes)`)
    }
    for (const { name, version } of result.artifact_files ?? []) {
      context.note(`Kept as artifact://${printable(name)}@${version}`)
    }
    for (const warning of result.warnings ?? []) context.note(printable(warning))
  }
  // What a shell says of a command that was ended from outside.
  return result.timed_out ? 124 : result.exit_code < 0 ? 1 : result.exit_code
}
